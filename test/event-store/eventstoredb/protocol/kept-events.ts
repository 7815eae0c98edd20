import type { LogEvent, Proposed } from './append-rules.ts'

/** Bytes of one piece of memory for the bodies of events. */
const PIECE = 4 * 1024 * 1024

/**
 * Memory outside the JavaScript heap for the bodies of events. A server that keeps hundreds of thousands of them as
 * objects is stopped by its own garbage collection for 0.1 to 0.3 s, which a test would see as the service's.
 */
export class Bodies {
  #piece = Buffer.alloc(0)
  #used = 0

  /** Keeps the bytes, and returns the piece that holds them and where they start. */
  keep(data: Uint8Array, metadata: Uint8Array): { readonly piece: Buffer; readonly at: number } {
    const length = data.length + metadata.length
    if (this.#used + length > this.#piece.length) {
      this.#piece = Buffer.allocUnsafeSlow(Math.max(PIECE, length))
      this.#used = 0
    }
    const at = this.#used
    this.#piece.set(data, at)
    this.#piece.set(metadata, at + data.length)
    this.#used += length
    return { piece: this.#piece, at }
  }
}

/** Where an event stands; `milliseconds` is when it was written, since 1970. */
export interface Place {
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly milliseconds: number
}

/** An event whose body is kept outside the heap. */
export class KeptEvent implements LogEvent {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly type: string
  readonly contentType: string
  readonly #milliseconds: number
  readonly #piece: Buffer
  readonly #at: number
  readonly #middle: number
  readonly #end: number

  constructor(bodies: Bodies, { id, type, contentType, data, metadata }: Proposed, place: Place) {
    const { piece, at } = bodies.keep(data, metadata)
    this.id = id
    this.stream = place.stream
    this.revision = place.revision
    this.position = place.position
    this.type = type
    this.contentType = contentType
    this.#milliseconds = place.milliseconds
    this.#piece = piece
    this.#at = at
    this.#middle = at + data.length
    this.#end = this.#middle + metadata.length
  }

  get data(): Uint8Array {
    return this.#piece.subarray(this.#at, this.#middle)
  }

  get metadata(): Uint8Array {
    return this.#piece.subarray(this.#middle, this.#end)
  }

  get created(): bigint {
    return BigInt(this.#milliseconds) * 10_000n
  }
}

/** Events whose ids are remembered, at least. A node bounds its cache of them too (8 MiB in EventStoreDB). */
const RECENT = 50_000

/** The last events by id, in two generations: a single map of all of them would stall the server whenever it grows. */
export class RecentEvents {
  #young = new Map<string, LogEvent>()
  #old = new Map<string, LogEvent>()

  get(id: string): LogEvent | undefined {
    return this.#young.get(id) ?? this.#old.get(id)
  }

  add(event: LogEvent): void {
    if (this.#young.size >= RECENT) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(event.id, event)
  }

  delete(id: string): void {
    this.#young.delete(id)
    this.#old.delete(id)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
