//! Host memory that is safe to use beside transfers: it is only ever copied into and out of, never borrowed.

use super::Region;
use crate::layout::{Device, MemoryKind};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Arc;

/// A zeroed, page-aligned allocation. Bytes that a transfer is writing read as some mixture of old and new.
#[derive(Debug)]
pub struct HostMemory {
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory is only accessed through raw copies; see the type's docs on races.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

const ALIGN: usize = 4096;

impl HostMemory {
    /// Large allocations come untouched from the kernel, so an unused part costs nothing.
    ///
    /// # Panics
    /// For a length of zero or beyond the address space.
    pub fn zeroed(len: usize) -> Arc<Self> {
        assert!(len > 0, "host memory of no bytes");
        let layout = Layout::from_size_align(len, ALIGN).expect("length fits the address space");
        // SAFETY: the layout has a size above zero.
        let base = unsafe { alloc_zeroed(layout) };
        let Some(base) = NonNull::new(base) else { handle_alloc_error(layout) };
        Arc::new(Self { base, layout })
    }

    pub fn len(&self) -> usize {
        self.layout.size()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    /// The whole allocation as a region of host memory, which it keeps alive.
    pub fn region(self: &Arc<Self>) -> Region {
        self.region_of(0, self.len())
    }

    /// `len` bytes at `offset` as a region.
    ///
    /// # Panics
    /// Where they are not all inside.
    pub fn region_of(self: &Arc<Self>, offset: usize, len: usize) -> Region {
        self.check(offset, len);
        // SAFETY: `check` asserted that offset..offset + len is inside of the allocation.
        let base = unsafe { self.base.add(offset) };
        // SAFETY: the range lives as long as `self`, which is the owner, and nobody can borrow from it.
        unsafe { Region::new(base, len as u64, MemoryKind::Host, Device(0), self.clone()) }
    }

    /// # Panics
    /// Where the bytes do not fit at `offset`.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len());
        // SAFETY: inside of the allocation; the source is a reference to other memory.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.as_ptr().add(offset), bytes.len()) }
    }

    /// # Panics
    /// Where the bytes are not all inside.
    pub fn read(&self, offset: usize, into: &mut [u8]) {
        self.check(offset, into.len());
        // SAFETY: inside of the allocation; the destination is a reference to other memory.
        unsafe { std::ptr::copy_nonoverlapping(self.base.as_ptr().add(offset), into.as_mut_ptr(), into.len()) }
    }

    pub fn fill(&self, byte: u8) {
        // SAFETY: the whole allocation.
        unsafe { std::ptr::write_bytes(self.base.as_ptr(), byte, self.len()) }
    }

    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        self.read(0, &mut bytes);
        bytes
    }

    fn check(&self, offset: usize, len: usize) {
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.len());
        assert!(inside, "{len} bytes at {offset} are outside of {} bytes", self.len());
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, once.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}
