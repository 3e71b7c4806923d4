#!/usr/bin/env python3
"""Writes model.json: a plain classifier of 28x28 grey images, 784-512-256-10 (needs Keras 3.15.1).

A file without weights: the training binary draws them from its seed.
"""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

WIDTHS = (784, 512, 256, 10)


def build(widths=WIDTHS, dropout=0.2):
    model = keras.Sequential([
        keras.Input((widths[0],), name="pixels"),
        layers.Dense(widths[1], activation="relu", name="dense_1"),
        layers.Dropout(dropout, name="dropout_1"),
        layers.Dense(widths[2], activation="relu", name="dense_2"),
        layers.Dropout(dropout, name="dropout_2"),
        layers.Dense(widths[3], activation="softmax", name="kind"),
    ], name="fashion_mnist")
    model.compile(optimizer=keras.optimizers.Adam(0.001), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    keras.utils.set_random_seed(1)
    model = build()
    model.summary(print_fn=lambda line, **_: print(line, file=sys.stderr))
    with open(os.path.join(here, "model.json"), "w", encoding="utf-8") as f:
        f.write(model.to_json(indent=1) + "\n")
