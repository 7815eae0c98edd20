/** Options of both sockets of a connection. */
export const SOCKET_OPTIONS = {
  allowHalfOpen: true,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  /**
   * Bytes at which a side stops reading for the other, before and after it; a read adds at most 64 KiB. Together they
   * bound the memory of a direction to 256 KiB.
   */
  highWaterMark: 65_536,
}
