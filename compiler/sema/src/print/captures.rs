//! The captures of every lambda.
