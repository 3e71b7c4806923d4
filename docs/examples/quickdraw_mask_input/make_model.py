#!/usr/bin/env python3
"""Writes model.json: the quickdraw model whose mask is a second input (needs Keras 3.15.1).

The bool input goes to the LSTMs as their mask argument, so nothing is read from padding values.
A mask given this way reaches the layers that it is handed to; the output of the second LSTM carries it on.
"""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

STEPS, FEATURES, UNITS = 100, 3, 100


def build(steps=STEPS, features=FEATURES, units=UNITS, dropout=0.2):
    strokes = keras.Input((steps, features), name="strokes")
    valid = keras.Input((steps,), dtype="bool", name="valid")
    x = layers.LSTM(units, return_sequences=True, name="lstm_1")(strokes, mask=valid)
    x = layers.Dropout(dropout, name="dropout_1")(x)
    x = layers.LSTM(units, return_sequences=True, name="lstm_2")(x, mask=valid)
    x = layers.Dropout(dropout, name="dropout_2")(x)
    x = layers.TimeDistributed(layers.Dense(25, activation="relu"), name="hidden")(x)
    x = layers.TimeDistributed(layers.Dense(1, activation="sigmoid"), name="label")(x)
    model = keras.Model([strokes, valid], x, name="quickdraw_mask_input")
    model.compile(optimizer=keras.optimizers.Adam(0.001), loss="binary_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    keras.utils.set_random_seed(1)
    model = build()
    model.summary(print_fn=lambda line, **_: print(line, file=sys.stderr))
    with open(os.path.join(here, "model.json"), "w", encoding="utf-8") as f:
        f.write(model.to_json(indent=1) + "\n")
