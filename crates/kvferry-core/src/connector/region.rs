//! Registered memory. One `unsafe` constructor; its contract is the only promise asked of an embedder.

use crate::layout::{Device, MemoryKind};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// A range of memory that connectors may read and, inside offered windows, write.
#[derive(Clone)]
pub struct Region {
    base: NonNull<u8>,
    len: u64,
    memory: MemoryKind,
    device: Device,
    /// Keeps the memory alive for as long as any connector knows the region.
    _owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the constructor's contract says that the range may be accessed from any thread.
unsafe impl Send for Region {}
// SAFETY: as above; `Region` itself only hands out raw pointers.
unsafe impl Sync for Region {}

impl Region {
    /// # Safety
    ///
    /// Until `owner` is dropped, `base..base + len` is one allocation of this memory kind on this device, accessible
    /// from any thread, and nobody holds a Rust reference into it while a transfer that the embedder allowed may read
    /// (a source page under lease) or write (a destination page inside an offered window) those bytes.
    pub unsafe fn new(
        base: NonNull<u8>,
        len: u64,
        memory: MemoryKind,
        device: Device,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        Self { base, len, memory, device, _owner: owner }
    }

    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn memory(&self) -> MemoryKind {
        self.memory
    }

    pub fn device(&self) -> Device {
        self.device
    }

    /// Address of `len` bytes at `offset`, or `None` where they are not all inside.
    pub fn at(&self, offset: u64, len: u64) -> Option<*mut u8> {
        if offset.checked_add(len)? > self.len {
            return None;
        }
        Some(self.base.as_ptr().wrapping_add(usize::try_from(offset).ok()?))
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region({} bytes of {} memory)", self.len, self.memory)
    }
}
