"""Operations, applied in order, to the objects that they leave: migrations replayed."""
