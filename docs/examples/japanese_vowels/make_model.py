#!/usr/bin/env python3
"""Writes model.keras: who of nine speakers said this vowel? (needs Keras 3.15.1)

Utterances of 7 to 29 steps are padded with -5; two LSTMs read them and a softmax names the speaker.
The weights are the ones Keras draws from seed 1.
"""
import os
import sys
import zipfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

STEPS, FEATURES, UNITS, SPEAKERS = 29, 12, 100, 9


def build(steps=STEPS, features=FEATURES, units=UNITS, dropout=0.2):
    model = keras.Sequential([
        keras.Input((steps, features), name="cepstra"),
        layers.Masking(-5.0, name="masking"),
        layers.LSTM(units, return_sequences=True, name="lstm_1"),
        layers.Dropout(dropout, name="dropout_1"),
        layers.LSTM(units, name="lstm_2"),
        layers.Dropout(dropout, name="dropout_2"),
        layers.Dense(SPEAKERS, activation="softmax", name="speaker"),
    ], name="japanese_vowels")
    model.compile(optimizer=keras.optimizers.Adam(0.001), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
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
