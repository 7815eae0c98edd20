import { Counter, Gauge, type Registry } from 'prom-client'
import type { FeedMeasures } from '../../../feed/subscribers.ts'

/** Ends caused by the service. */
const CUT_OFFS = ['too_slow', 'user_changed', 'stopping', 'another_log', 'failed'] as const

/** Counts subscribers of one kind of stream. */
export const feedMeasures = (registers: Registry[], name: 'feed' | 'changes', what: string): FeedMeasures => {
  const subscribers = new Gauge({
    name: `berth_${name}_subscribers`,
    help: `Open ${what}.`,
    registers,
  })
  const cutOffs = new Counter({
    name: `berth_${name}_cut_offs_total`,
    help: `The ${what} that the service ended, by reason.`,
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
