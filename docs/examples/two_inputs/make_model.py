#!/usr/bin/env python3
"""Writes model.keras: two sequences through one shared encoder, two outputs with their own losses (needs Keras 3.15.1).

The encoder is a nested model that is called twice, so its weights get the gradients of both calls. The total loss is
1.0 * binary cross-entropy of "same" + 0.5 * categorical cross-entropy of "kind". The weights are the ones Keras
draws from seed 1.
"""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

STEPS, FEATURES, UNITS, KINDS = 20, 6, 32, 5


def build(steps=STEPS, features=FEATURES, units=UNITS, dropout=0.1):
    sequence = keras.Input((steps, features), name="sequence")
    x = layers.Masking(-5.0, name="masking")(sequence)
    x = layers.LSTM(units, return_sequences=True, name="reader")(x)
    x = layers.Dropout(dropout, name="reader_dropout")(x)
    x = layers.LSTM(units, name="summary")(x)
    x = layers.Dense(units // 2, activation="tanh", name="code")(x)
    encoder = keras.Model(sequence, x, name="encoder")

    left = keras.Input((steps, features), name="left")
    right = keras.Input((steps, features), name="right")
    a, b = encoder(left), encoder(right)
    both = layers.Concatenate(name="both")([a, b])
    both = layers.Dense(units, activation="relu", name="mix")(both)
    same = layers.Dense(1, activation="sigmoid", name="same")(both)
    kind = layers.Dense(KINDS, activation="softmax", name="kind")(layers.Add(name="sum")([a, b]))
    model = keras.Model([left, right], {"same": same, "kind": kind}, name="two_inputs")
    model.compile(optimizer=keras.optimizers.Adam(0.001),
                  loss={"same": "binary_crossentropy", "kind": "categorical_crossentropy"},
                  loss_weights={"same": 1.0, "kind": 0.5},
                  metrics={"same": ["accuracy"], "kind": ["accuracy"]})
    return model


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    keras.utils.set_random_seed(1)
    model = build()
    model.summary(print_fn=lambda line, **_: print(line, file=sys.stderr))
    model.save(os.path.join(here, "model.keras"))
