import type { LogReader } from '../feed/log-reader.ts'
import { makeIsAllowed } from '../processes/webhooks/addresses.ts'
import { makeWebhooks, type Webhooks } from '../processes/webhooks/webhooks.ts'
import { type Lab, makeWarnOnce } from './core/base.ts'
import { lagOfWebhooks } from './core/gauges.ts'
import { makeIsOwn } from './machines/open-forwarding.ts'

/** What webhooks deliver, over the network and with the vault's secrets. @param ownPort of the service itself */
export const openWebhooks = (lab: Lab, reader: LogReader, instance: string, ownPort: number): Webhooks => {
  const { config, store, vault, processClock: clock, alarms, metrics, log, sinceBoot, webhooks: sending } = lab
  const warnOnce = makeWarnOnce(log, sinceBoot)
  const webhooks = makeWebhooks({
    ...{ ...lab, clock, reader, instance, origin: config.origin },
    sending: {
      isAllowed: makeIsAllowed({ isHttpFree: config.webhookHttp === 'any', isOwn: makeIsOwn(config, ownPort) }),
      ...sending,
    },
    readSecrets: vault.readWebhook,
    eraseSecrets: store.eraseSecrets,
    onAttempt: metrics.attempted,
    onDisabled: (count) => {
      if (count === 0) alarms.clear('webhooks', 'no webhook is disabled any more')
      else if (!alarms.isRaised('webhooks'))
        alarms.raise('webhooks', 'a webhook is disabled: its receiver took no event for hours; see GET /api/webhook')
    },
    onError: (error) => warnOnce({ err: error }, 'webhooks were not delivered; retrying'),
  })
  metrics.registerGauges([lagOfWebhooks(webhooks.lags)])
  return webhooks
}
