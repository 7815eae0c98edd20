import { Counter, Gauge, type Registry } from 'prom-client'
import type { FeedMeasures } from '../../../feed/subscribers.ts'

/** Ends caused by the service. */
const CUT_OFFS = ['too_slow', 'user_changed', 'stopping', 'another_log', 'failed'] as const

/** Counts subscribers of the log. */
export const feedMeasures = (registers: Registry[]): FeedMeasures => {
  const subscribers = new Gauge({
    name: 'berth_feed_subscribers',
    help: 'Open event streams.',
    registers,
  })
  const cutOffs = new Counter({
    name: 'berth_feed_cut_offs_total',
    help: 'Event streams ended by the service, by reason.',
    labelNames: ['why'],
    registers,
  })
  for (const why of CUT_OFFS) cutOffs.inc({ why }, 0)
  return {
    subscribed: () => subscribers.inc(),
    unsubscribed: (how) => {
      subscribers.dec()
      if (how !== 'left' && how !== 'done') cutOffs.inc({ why: how })
    },
  }
}
