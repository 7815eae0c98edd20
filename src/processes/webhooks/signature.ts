import { createHmac } from 'node:crypto'

/** What a receiver sees of a secret is `whsec_` and its bytes in base64. */
const PREFIX = /^whsec_/

interface Message {
  /** Of the event: the same at each attempt. */
  readonly id: string
  /** Unix seconds of the attempt. */
  readonly timestamp: number
  readonly body: string
}

/** The header fields of Standard Webhooks 1.0: a signature by each secret, the current one first. */
export const signedHeaders = (
  { id, timestamp, body }: Message,
  secrets: readonly string[],
): Readonly<Record<string, string>> => {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(PREFIX, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
