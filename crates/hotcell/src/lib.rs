//! hotcell runs code that a model wrote.
