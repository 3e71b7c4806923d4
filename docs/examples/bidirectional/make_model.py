#!/usr/bin/env python3
"""Writes model.keras: a masked bidirectional LSTM over embedded ids that labels every step (needs Keras 3.15.1).

Id 0 is padding (mask_zero). The weights are the ones Keras draws from seed 1.
"""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

STEPS, WORDS, UNITS, TAGS = 24, 50, 24, 6


def build(steps=STEPS, words=WORDS, units=UNITS, dropout=0.2):
    ids = keras.Input((steps,), dtype="int32", name="ids")
    x = layers.Embedding(words, 16, mask_zero=True, name="embedding")(ids)
    x = layers.Dropout(dropout, name="dropout")(x)
    x = layers.Bidirectional(layers.LSTM(units, return_sequences=True), name="both_ways")(x)
    x = layers.Bidirectional(layers.GRU(units // 2, return_sequences=True), merge_mode="sum", name="both_ways_2")(x)
    tags = layers.Dense(TAGS, activation="softmax", name="tags")(x)
    model = keras.Model(ids, tags, name="bidirectional")
    model.compile(optimizer=keras.optimizers.RMSprop(0.002), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    keras.utils.set_random_seed(1)
    model = build()
    model.summary(print_fn=lambda line, **_: print(line, file=sys.stderr))
    model.save(os.path.join(here, "model.keras"))
