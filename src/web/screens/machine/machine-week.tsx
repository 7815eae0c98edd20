import type { ComponentChildren } from 'preact'
import type { Booked } from '../../features/schedule/calendar.ts'
import { type Day, type DayBlock, type DayTurn, weekOf } from '../../features/schedule/week.ts'
import { formatClock, formatDay, formatRange, HOUR, MINUTE, midnightOf } from '../../format/format.ts'
import { rove } from '../../parts/choose/rove.ts'
import { Icon } from '../../parts/icon.tsx'
import { initialsOf } from '../../parts/initials.ts'

interface Props {
  readonly booked: readonly Booked[]
  readonly ofSeries: ReadonlySet<string>
  /** Milliseconds. */
  readonly turnaround: number
  readonly now: number
  readonly ownId: string
  readonly nameOf: (booked: Booked) => string
  /** Called with the day of a row, to see it in the schedule. */
  readonly onDay: (day: number) => void
}

/** Minutes from which a block shows a name, and from which initials: an hour has some 27 pixels. */
const NAME_FROM = 100
const INITIALS_FROM = 50
/** From which the mark of a series fits, and what a name needs besides. */
const MARK_FROM = 30
const MARK = 75

const Block = ({
  block,
  now,
  ownId,
  nameOf,
  ofSeries,
  isStop,
  onOpen,
}: Omit<RowProps, 'day' | 'first' | 'onDay'> & { block: DayBlock; isStop: boolean; onOpen: () => void }) => {
  const { booked, a, z } = block
  const isOwn = booked.userId === ownId
  const name = isOwn ? 'You' : nameOf(booked)
  const isRunning = booked.from <= now && now < booked.to
  const phase = isRunning ? ' running' : booked.to <= now ? ' past' : ''
  const isOfSeries = ofSeries.has(booked._id)
  const label = `${name} ${formatRange(booked.from, booked.to)}${isRunning ? ', in use' : ''}${isOfSeries ? ', one of a series' : ''}`
  const mark = isOfSeries && <Icon name="repeat" />
  const shown = (): ComponentChildren => {
    const room = z - a - (isOfSeries ? MARK : 0)
    if (room >= NAME_FROM || (isOwn && room >= INITIALS_FROM))
      return (
        <span>
          {mark}
          <span class="medium clip">
            <bdi>{name}</bdi>
          </span>
        </span>
      )
    if (mark) return z - a >= MARK_FROM && <span class="mark">{mark}</span>
    return z - a >= INITIALS_FROM && <span class="ini" data-i={initialsOf(name)} />
  }
  return (
    <button
      type="button"
      role="gridcell"
      tabindex={isStop ? 0 : -1}
      class={`cell block ${isOwn ? 'own' : 'other'}${phase}`}
      title={label}
      style={{ '--a': a, '--z': z }}
      aria-label={label}
      onClick={onOpen}
    >
      {shown()}
    </button>
  )
}

const turnText = ({ to }: DayTurn): string => `Turnaround until ${formatClock(to)}`

const EVERY_THREE_HOURS = Array.from({ length: 8 }, (_, n) => n * 3)

interface RowProps extends Omit<Props, 'booked' | 'turnaround'> {
  readonly day: Day
  readonly first: DayBlock | undefined
}

const Row = ({ day, now, first, onDay, ...props }: RowProps) => {
  const isToday = day.from === midnightOf(now)
  const text = formatDay(day.from).replace(/ \w+$/, '')
  return (
    <div class="tl-row" role="row">
      <span role="rowheader" class="row tl-head small">
        <span class={isToday ? 'strong' : 'second'}>{text}</span>
      </span>
      <div class="tl-lane">
        {isToday && <span class="tl-past" />}
        {day.blocks.length === 0 && (
          <span role="gridcell" class="vh">
            Nothing reserved
          </span>
        )}
        {day.turns.map((turn) => (
          <span
            key={turn.a}
            role="gridcell"
            class="cell turn"
            style={{ '--a': turn.a, '--z': turn.z }}
            title={turnText(turn)}
          >
            <span class="vh">{turnText(turn)}</span>
          </span>
        ))}
        {day.blocks.map((block) => (
          <Block
            key={block.booked._id}
            {...props}
            block={block}
            now={now}
            isStop={block === first}
            onOpen={() => onDay(day.from)}
          />
        ))}
        {isToday && <span class="tl-now" />}
      </div>
    </div>
  )
}

export const Week = (props: Props) => {
  const { booked, turnaround, ...shared } = props
  const days = weekOf(booked, turnaround, props.now)
  const first = days.flatMap(({ blocks }) => blocks)[0]
  return (
    <div class="weekcal-in">
      <div
        class="tl weekcal"
        role="grid"
        aria-label="Next 7 days"
        style={{ '--now-at': (props.now - midnightOf(props.now)) / MINUTE }}
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
            {days.map((day) => (
              <Row key={day.from} {...shared} day={day} first={first} />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}
