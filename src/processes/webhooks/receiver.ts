import { once } from '../../concurrency/once.ts'
import type { UnixMilliseconds } from '../../domain/values/units.ts'
import { FORMER_SECRET_MS } from '../../domain/webhook/decide.ts'
import type { WebhookSecrets } from '../../vault/vault.ts'
import type { ProcessClock } from '../clock.ts'
import { makeSend, type SendOptions, type Sent } from './send.ts'
import { signedHeaders } from './signature.ts'

/** The CloudEvents JSON format, one event as the whole body. */
const MEDIA_TYPE = 'application/cloudevents+json'

interface ReceiverOptions {
  readonly clock: Pick<ProcessClock, 'now'>
  readonly sending: SendOptions
  readonly readSecrets: () => Promise<WebhookSecrets>
  /** When the secret took the place of the former one; 0 if there is none. */
  readonly replacedAt: UnixMilliseconds
}

export type Receiver = ReturnType<typeof makeReceiver>

/** Signs and sends to the URL of a webhook, both of which it reads from the vault with the first event. */
export const makeReceiver = ({ clock, sending, readSecrets, replacedAt }: ReceiverOptions) => {
  let isClosed = false
  let cut = (): void => undefined
  const open = once(async () => {
    const { url, secret, former_secret } = await readSecrets()
    if (url?.clear === undefined || secret?.clear === undefined)
      throw new Error(`the secrets of a webhook cannot be read: ${url?.why ?? secret?.why ?? 'they are missing'}`)
    const { send, close } = makeSend(url.clear, sending)
    cut = close
    if (isClosed) cut()
    return { send, secret: secret.clear, former: former_secret?.clear }
  })
  return {
    /** @throws if the secrets cannot be read */
    send: async ({ id, body }: { readonly id: string; readonly body: string }): Promise<Sent> => {
      const { send, secret, former } = await open()
      const now = clock.now()
      const isDouble = former !== undefined && now < replacedAt + FORMER_SECRET_MS
      const secrets = isDouble ? [secret, former] : [secret]
      const signed = signedHeaders({ id, timestamp: Math.floor(now / 1_000), body }, secrets)
      return send({ 'Content-Type': MEDIA_TYPE, 'User-Agent': 'Berth', ...signed }, body)
    },
    /** Also ends what is under way. */
    close: (): void => {
      isClosed = true
      cut()
    },
  }
}
