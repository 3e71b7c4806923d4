#!/usr/bin/env python3
"""Writes model.keras: a masked LSTM that labels every step of a pen stroke (needs Keras 3.15.1).

Strokes are padded with -5, which Masking turns into a mask; the mask reaches both LSTMs, the loss and the metric.
The weights are the ones Keras draws from seed 1.
"""
import os
import sys
import zipfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

STEPS, FEATURES, UNITS = 100, 3, 100


def build(steps=STEPS, features=FEATURES, units=UNITS, dropout=0.2):
    strokes = keras.Input((steps, features), name="strokes")
    x = layers.Masking(-5.0, name="masking")(strokes)
    x = layers.LSTM(units, return_sequences=True, name="lstm_1")(x)
    x = layers.Dropout(dropout, name="dropout_1")(x)
    x = layers.LSTM(units, return_sequences=True, name="lstm_2")(x)
    x = layers.Dropout(dropout, name="dropout_2")(x)
    x = layers.TimeDistributed(layers.Dense(25, activation="relu"), name="hidden")(x)
    x = layers.TimeDistributed(layers.Dense(1, activation="sigmoid"), name="label")(x)
    model = keras.Model(strokes, x, name="quickdraw")
    model.compile(optimizer=keras.optimizers.Adam(0.001), loss="binary_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    keras.utils.set_random_seed(1)
    model = build()
    model.summary(print_fn=lambda line, **_: print(line, file=sys.stderr))
    path = os.path.join(here, "model.keras")
    model.save(path)
    # Keras stores the members of the archive as they are; deflated they need a seventh less room here.
    with zipfile.ZipFile(path) as z:
        members = {n: z.read(n) for n in z.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data in members.items():
            z.writestr(name, data)
