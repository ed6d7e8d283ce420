//! A ring buffer of log records.
//!
//! One reader, many writers.

#![warn(missing_docs)]

extern crate alloc;
use std::{
    collections::HashMap,
    fmt::{self, Display as Show},
};
pub use crate::slots::*;

/// How many slots a ring has.
pub const SLOTS: usize = 64;
static mut COUNTER: u32 = 0;

/** A block of documentation
 *  over two lines.
 */
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Error {
    /// No slot is free.
    Full,
    Io(std::io::Error),
    Parse { line: usize, text: String } = 3,
}

/// A record: „Größe“ counts bytes.
/// It is copied in.
#[derive(Default)]
pub struct Record<'a, T: ?Sized = str> {
    pub text: &'a T,
    #[serde(default)]
    level: u8,
}

pub struct Meters(pub f64);
struct Unit;
union Bits { f: f32, u: u32 }

/// Takes records.
pub trait Sink: Send + Sync {
    /// What it gives back.
    type Output: Clone;
    const LIMIT: usize;
    /// Adds one.
    fn push(&mut self, record: &Record<'_>) -> Self::Output;
    fn flush(&self) {}
}

impl<'a, T> Record<'a, T>
where
    T: ?Sized + Show,
{
    pub const EMPTY: u8 = 0;

    /// Makes a record.
    #[must_use] #[inline]
    pub const fn new(text: &'a T) -> Self {
        Self { text, level: 0 }
    }

    pub(crate) async unsafe fn send<S: Sink>(&self, sink: &mut S) -> Result<(), Error> {
        let retry = |n: u32| n < 3;
        fn helper(x: u32) -> u32 { x + 1 }
        let parsed = self.text.to_string().parse::<u32>()?;
        sink.push(&Record::new("ü"));
        println!("{} {}", helper(1), HashMap::<u32, u32>::new().len());
        retry(parsed);
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{:?}", self) }
}

impl<T> Sink for &mut T where T: Sink { type Output = T::Output; const LIMIT: usize = 1; fn push(&mut self, r: &Record<'_>) -> T::Output { (**self).push(r) } }
impl Sink for [u8; 4] { type Output = (); const LIMIT: usize = 4; fn push(&mut self, _: &Record<'_>) {} }
impl dyn Sink<Output = ()> { fn boxed(self) {} }

/// Makes a vector of strings.
#[macro_export]
macro_rules! strings {
    ($($x:expr),*) => { vec![$($x.to_string()),*] };
}

extern "C" {
    /// From libc.
    fn strlen(s: *const i8) -> usize;
    static environ: *const *const i8;
}

mod slots;

pub mod inner {
    //! Inside.

    use super::Error;

    pub(super) fn odd   <T>
        ( x : T )
        -> T where T : Copy { x }
    pub mod deep { pub struct Deep { pub a: u8, pub b: u8 } }
}

cfg_unix! {
    pub fn only_on_unix() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays() { assert_eq!(Error::Full.to_string(), "Full"); }

    #[tokio::test(flavor = "current_thread")]
    async fn sends() {
        strings!["a", "b"];
    }
}
