#!/usr/bin/env python3
"""Writes model.keras: a masked GRU that predicts the next value of a series (needs Keras 3.15.1).

Mean squared error, SGD with Nesterov momentum, mean absolute error as the metric. The weights are the ones Keras
draws from seed 1.
"""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

STEPS, FEATURES, UNITS = 30, 4, 32


def build(steps=STEPS, features=FEATURES, units=UNITS, dropout=0.1):
    model = keras.Sequential([
        keras.Input((steps, features), name="series"),
        layers.Masking(-5.0, name="masking"),
        layers.GRU(units, return_sequences=True, name="gru_1"),
        layers.Dropout(dropout, name="dropout_1"),
        layers.GRU(units, reset_after=False, name="gru_2"),
        layers.Dense(1, name="next"),
    ], name="gru")
    model.compile(optimizer=keras.optimizers.SGD(0.02, momentum=0.9, nesterov=True), loss="mean_squared_error",
                  metrics=["mean_absolute_error"])
    return model


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    keras.utils.set_random_seed(1)
    model = build()
    model.summary(print_fn=lambda line, **_: print(line, file=sys.stderr))
    model.save(os.path.join(here, "model.keras"))
