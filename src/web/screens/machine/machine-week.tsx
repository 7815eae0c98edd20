import { type Sut, turnaroundOf } from '../../data/objects.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { type Day, type DayBlock, weekOf } from '../../features/schedule/week.ts'
import { show } from '../../features/view/view.ts'
import { formatClock, formatDay, formatRange, HOUR, MINUTE, midnightOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { goTo } from '../../page/location.ts'
import { rove } from '../../parts/choose/rove.ts'
import { Icon } from '../../parts/icon.tsx'
import { initialsOf } from '../../parts/initials.ts'

interface Props {
  readonly sut: Sut
  readonly booked: readonly Booked[]
  readonly now: number
  readonly nameOf: (booked: Booked) => string
}

/** Minutes from which a block shows a name, and from which initials: an hour has some 27 pixels. */
const NAME_FROM = 100
const INITIALS_FROM = 50
/** From which the mark of a series fits, and what a name needs besides. */
const MARK_FROM = 30
const MARK = 75

const EVERY_THREE_HOURS = Array.from({ length: 8 }, (_, n) => n * 3)

/** What a block shows of its name, as far as there is room. */
const shownOf = (name: string, minutes: number, isOwn: boolean, isOfSeries: boolean) => {
  const mark = isOfSeries && <Icon name="repeat" />
  const room = minutes - (isOfSeries ? MARK : 0)
  if (room >= (isOwn ? INITIALS_FROM : NAME_FROM))
    return (
      <span>
        {mark}
        <span class="medium clip">
          <bdi>{name}</bdi>
        </span>
      </span>
    )
  if (mark) return minutes >= MARK_FROM && <span class="mark">{mark}</span>
  return minutes >= INITIALS_FROM && <span class="ini" data-i={initialsOf(name)} />
}

/** Seven days, a line each. A block leads to its day in the schedule. */
export const Week = ({ sut, booked, now, nameOf }: Props) => {
  const page = usePage()
  const ownId = meOf(page)._id
  const { byId } = page.reservations.all.value
  const days = weekOf(booked, turnaroundOf(sut), now)
  const first = days.flatMap(({ blocks }) => blocks)[0]
  const open = (day: number): void => {
    show({ zoom: 'day', time: day === midnightOf(now) ? undefined : day, open: undefined })
    goTo('schedule')
  }
  const block = (each: DayBlock, day: Day) => {
    const { booked: held, a, z } = each
    const isOwn = held.userId === ownId
    const name = isOwn ? 'You' : nameOf(held)
    const isRunning = held.from <= now && now < held.to
    const phase = isRunning ? ' running' : held.to <= now ? ' past' : ''
    const isOfSeries = Boolean(byId.get(held._id)?.series_id)
    const label = `${name} ${formatRange(held.from, held.to)}${isRunning ? ', in use' : ''}${isOfSeries ? ', one of a series' : ''}`
    return (
      <button
        key={held._id}
        type="button"
        role="gridcell"
        tabindex={each === first ? 0 : -1}
        class={`cell block ${isOwn ? 'own' : 'other'}${phase}`}
        title={label}
        style={{ '--a': a, '--z': z }}
        aria-label={label}
        onClick={() => open(day.from)}
      >
        {shownOf(name, z - a, isOwn, isOfSeries)}
      </button>
    )
  }
  const row = (day: Day) => {
    const isToday = day.from === midnightOf(now)
    return (
      <div class="tl-row" role="row" key={day.from}>
        <span role="rowheader" class="row tl-head small">
          <span class={isToday ? 'strong' : 'second'}>{formatDay(day.from).replace(/ \w+$/, '')}</span>
        </span>
        <div class="tl-lane">
          {isToday && <span class="tl-past" />}
          {day.blocks.length === 0 && (
            <span role="gridcell" class="vh">
              Nothing reserved
            </span>
          )}
          {day.turns.map(({ a, z, to }) => {
            const text = `Turnaround until ${formatClock(to)}`
            return (
              <span key={a} role="gridcell" class="cell turn" style={{ '--a': a, '--z': z }} title={text}>
                <span class="vh">{text}</span>
              </span>
            )
          })}
          {day.blocks.map((each) => block(each, day))}
          {isToday && <span class="tl-now" />}
        </div>
      </div>
    )
  }
  return (
    <div class="weekcal-in">
      <div
        class="tl weekcal"
        role="grid"
        aria-label="Next 7 days"
        style={{ '--now-at': (now - midnightOf(now)) / MINUTE }}
        onKeyDown={(event: KeyboardEvent) => void rove(event, 'button')}
      >
        <div class="tl-in">
          <div class="tl-axis" role="row">
            <div class="row tl-corner small muted" role="columnheader" aria-label="Day" />
            <div class="tl-ticks">
              {EVERY_THREE_HOURS.map((hour) => (
                <span key={hour} class="tick" role="columnheader" style={{ '--a': (hour * HOUR) / MINUTE }}>
                  {String(hour).padStart(2, '0')}:00
                </span>
              ))}
            </div>
          </div>
          <div class="tl-body">
            <div class="tl-grid" />
            {days.map(row)}
          </div>
        </div>
      </div>
    </div>
  )
}
