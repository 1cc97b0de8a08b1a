// Whether what arrived is what was stored: bundle.py computes the same number.

const POLYNOMIAL = 0xedb88320;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

// CRC-32 of the bytes of some Uint8Arrays, one after the other.
export function crc32(...parts) {
  let rest = -1;
  for (const part of parts) {
    for (let i = 0; i < part.length; i++) rest = TABLE[(rest ^ part[i]) & 255] ^ (rest >>> 8);
  }
  return ~rest >>> 0;
}
