import { useMemo, useRef, useState } from 'preact/hooks'
import type { Sut, SutRequest } from '../../data/objects.ts'
import { useReservation } from '../../features/holding/use-reservation.ts'
import { useWaiting } from '../../features/queue/card.tsx'
import { aheadOf, asPriority } from '../../features/queue/wants.ts'
import type { Available } from '../../features/reserve/available.ts'
import { toMatch } from '../../features/reserve/criteria.ts'
import type { Reserved } from '../../features/reserve/reserve-notes.tsx'
import { bodyOf, type Wish } from '../../features/reserve/wish.ts'
import { formatWhen } from '../../format/format.ts'
import { type Reading, usePage } from '../../page/context.ts'
import { type Choice, type Chosen, choicesOf, chose, chosenOf, type Take } from './choices.ts'

export interface OfferProps {
  readonly wish: Wish
  readonly fitting: readonly Sut[]
  readonly count: number
  readonly reading: Reading<Available>
  readonly queue: Reading<readonly SutRequest[]>
  readonly userId: string
  readonly keepalive: number | undefined
  readonly isWeekly: boolean
  readonly times: number
  readonly onTimes: (times: number) => void
}

/** What is chosen, which stays what it was as long as it can be had. */
const useChosen = (choices: readonly Choice[], isRead: boolean) => {
  const chosen = useRef<Chosen | undefined>(undefined)
  const [, redraw] = useState({})
  if (isRead) chosen.current = chosenOf(chosen.current, choices)
  const set = (next: Chosen | undefined): void => {
    chosen.current = next
    redraw({})
  }
  return {
    named: choices.find(({ key }) => key === chosen.current?.key),
    before: chosen.current?.before,
    choose: (choice: Choice) => set(chose(choice)),
    reset: () => set(undefined),
  }
}

export const useTaking = ({ wish, fitting, reading, queue, userId, keepalive, isWeekly }: OfferProps) => {
  const page = usePage()
  const now = page.clock.value
  const [priority, setPriority] = useState('0')
  const [lost, setLost] = useState<{ of: Available | undefined; sutId: string } | undefined>(undefined)
  const [reserved, setReserved] = useState<Reserved | undefined>(undefined)
  const found = reading.value
  const finish = (what: Reserved): void => {
    setReserved(what)
    // It is no longer free for another one.
    reading.retry()
  }
  const booking = useReservation()
  const book = async ({ offer, asked }: Take, isBeyondQuota = false): Promise<void> => {
    const body = {
      ...bodyOf({ ...asked, sutId: offer.sutId }, userId, page.clock.peek(), isBeyondQuota),
      ...(keepalive !== undefined && { keepalive }),
    }
    const refused = await booking.act('create', body, ({ start_time, end_time }) => {
      const [from, at] = [Date.parse(start_time), page.clock.peek()]
      const until = `until ${formatWhen(Date.parse(end_time), at)}`
      finish({ machine: offer.name, when: from > at ? `from ${formatWhen(from, at)} ${until}` : until })
    })
    if (refused === undefined) return
    // What was read is older than that.
    if (refused.problem.code === 'reservation_conflict') setLost({ of: found, sutId: offer.sutId })
    reading.retry()
  }
  const waiting = useWaiting()
  const asked = asPriority(priority) ?? 0
  const ahead = useMemo(() => queue.value && aheadOf(fitting, queue.value, asked), [fitting, queue.value, asked])
  const isOver = reserved !== undefined || waiting.id !== undefined
  const situation = {
    ...{ now, lost: lost?.of === found ? lost?.sutId : undefined },
    ...{ mayWait: fitting.length > 0 && !isWeekly, ahead },
  }
  const choices = found === undefined ? [] : choicesOf(found, wish, situation)
  const { reset, ...chosen } = useChosen(choices, found !== undefined && !isOver)
  const wait = (seconds: number): Promise<void> => {
    const of = { match: toMatch(wish.criteria) }
    const wanted = { of, length: wish.length, userId, wait: seconds, priority: asPriority(priority), keepalive }
    return waiting.wait(wanted).then(queue.retry)
  }
  const changePriority = (typed: string): void => {
    setPriority(typed)
    waiting.forgive()
  }
  const again = (): void => {
    reset()
    waiting.reset()
    setReserved(undefined)
  }
  return {
    ...{ now, choices, ...chosen, booking, book, waiting, reserved, finish },
    ...{ isOver, wait, priority, changePriority, again },
  }
}

export type Taking = ReturnType<typeof useTaking>

/** Whether a place in the queue was refused for its priority: that is said beside it. */
export const isTooHigh = ({ refused }: Taking['waiting']): boolean => refused?.problem.code === 'priority_too_high'
