import type { Stretch } from '../schedule/calendar.ts'
import { slotsOf, type Uptime, upText } from './uptime.ts'

interface Props {
  readonly uptime: Uptime
  readonly span: Stretch
  readonly count: number
  readonly label: string
  readonly isBig?: boolean
}

const CLASSES = { up: '', down: 'd', unknown: 'u' } as const

export const Strip = ({ uptime, span, count, label, isBig = false }: Props) => {
  const up = upText(uptime, span)
  const text = up === '' ? `${label}: not monitored` : `${label}: up ${up}`
  return (
    <span class={isBig ? 'strip big' : 'strip'} role="img" aria-label={text}>
      {slotsOf(uptime, span, count).map((slot, n) => (
        <i key={n} class={CLASSES[slot]} />
      ))}
    </span>
  )
}
