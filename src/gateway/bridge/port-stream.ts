import { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

/** Maximum bytes in flight to the other thread, per direction. One write may exceed it. */
const WINDOW = 262_144

/** Minimum weight of a message, in bytes: small ones cost as much memory. */
const WEIGHT_MIN = 1_024

const weightOf = ({ byteLength }: Uint8Array): number => Math.max(byteLength, WEIGHT_MIN)

/** Bytes, an acknowledgement with the weight of the bytes that the reader has taken, why all ends, or that a direction does. */
type Message =
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly taken: number }
  | { readonly cause: unknown }
  | 'end'

/**
 * One end of a stream between two threads, with back-pressure and half-closes. Destroying one end destroys the other.
 */
export class PortStream<Cause> extends Duplex {
  /** Why the other end has cut it; undefined if it has not. */
  cause: Cause | undefined
  readonly #port: MessagePort
  #inFlight = 0
  #untaken = 0
  #hasEnded = false
  #resume: (() => void) | undefined

  constructor(port: MessagePort) {
    // A reader that is paused takes nothing more, however little it has.
    super({ allowHalfOpen: true, readableHighWaterMark: 1 })
    this.#port = port
    port.on('message', (message: Message) => this.#receive(message))
    // After both ends the other side closes by itself, and what has arrived can still be read.
    port.on('close', () => (this.#hasEnded && this.writableFinished) || this.destroy())
  }

  #receive(message: Message): void {
    if (this.destroyed) return
    if (message === 'end') {
      this.#hasEnded = true
      this.push(null)
    } else if ('taken' in message) {
      this.#inFlight -= message.taken
      if (this.#inFlight < WINDOW) this.#continue()
    } else if ('cause' in message) {
      this.cause = message.cause as Cause
    } else {
      const { buffer, byteOffset, byteLength } = message.bytes
      this.#untaken += weightOf(message.bytes)
      if (this.push(Buffer.from(buffer, byteOffset, byteLength))) this.#take()
    }
  }

  #take(): void {
    if (this.#untaken > 0) this.#port.postMessage({ taken: this.#untaken } satisfies Message)
    this.#untaken = 0
  }

  #continue(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  /** Destroys both ends. The other one learns why. */
  cut(cause: Cause): void {
    this.#port.postMessage({ cause } satisfies Message)
    this.destroy()
  }

  override _read(): void {
    this.#take()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // Copied: transferring detaches the memory, which small buffers share.
    const bytes = new Uint8Array(chunk)
    this.#inFlight += weightOf(bytes)
    this.#port.postMessage({ bytes } satisfies Message, [bytes.buffer])
    if (this.#inFlight < WINDOW) done()
    else this.#resume = done
  }

  override _final(done: () => void): void {
    this.#port.postMessage('end' satisfies Message)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#continue()
    this.#port.close()
    done(error)
  }
}
