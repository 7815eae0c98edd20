import type { Refused } from '../../service/api.ts'

export type ConsoleEnd =
  /** The close code of the WebSocket: see the guide on consoles. */
  | { readonly kind: 'closed'; readonly code: number }
  | { readonly kind: 'refused'; readonly refused: Refused }
  /** The machine did not let one in, in its own words. */
  | { readonly kind: 'barred'; readonly reason: string | undefined }
  /** The program for screens could not be loaded, as after an update. */
  | { readonly kind: 'updated' }
