import { systemOf } from '../../data/objects.ts'
import { Strip } from '../../features/machines/strip.tsx'
import { type Uptime, upText } from '../../features/machines/uptime.ts'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDay, formatWhen, isNearDay } from '../../format/format.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { NameLink } from '../../parts/show/name-link.tsx'
import { Tag } from '../../parts/show/note.tsx'
import type { Column } from '../../parts/show/table.tsx'
import type { By, Row } from './machine-list.ts'

const NONE = <span class="muted">–</span>

/** `uptimes`: what of the last day is known of each machine. */
export const columnsOf = (
  now: number,
  uptimes: ReadonlyMap<string, Uptime>,
  day: Stretch,
): readonly Column<Row, By>[] => {
  /** A time in a column: one that is a week away without its hour. */
  const when = (time: number) => {
    const text = formatWhen(time, now)
    return <span title={text}>{isNearDay(time, now) ? text : formatDay(time)}</span>
  }
  const upOf = ({ sut }: Row): string => {
    const uptime = uptimes.get(sut._id)
    return uptime === undefined ? '' : upText(uptime, day)
  }
  const strip = (row: Row) => {
    const uptime = uptimes.get(row.sut._id)
    return uptime && upOf(row) !== '' && <Strip uptime={uptime} span={day} count={24} label="Last 24 hours" />
  }
  return [
    {
      ...{ title: 'Machine', by: 'name', width: '12.5%' },
      cell: ({ sut, state }, link) => (
        <span class="row">
          <Icon name={state.icon} />
          <NameLink name={sut.name} {...link} href={linkTo('machines', sut._id)} />
          <span class="vh phone-only"> {state.text}</span>
        </span>
      ),
    },
    {
      ...{ title: 'State', by: 'state', width: '13%', class: 'second clip' },
      cell: ({ state: { kind, text } }) => (
        <span class={kind === 'off' ? 'danger' : undefined} title={text}>
          {text}
        </span>
      ),
    },
    {
      ...{ title: 'Who has it', by: 'who', width: '9%', class: 'clip' },
      cell: ({ who }) => (who === undefined ? NONE : <bdi>{who}</bdi>),
    },
    {
      ...{ title: 'Until', by: 'until', width: '7.8%', class: 'clip', isNumber: true },
      cell: ({ state }) => state.running && when(state.running.to),
    },
    {
      ...{ title: 'Next', width: '12%', class: 'second num clip' },
      cell: ({ state: { next }, nextWho }) => (next ? [when(next.from), ' ', <bdi key="who">{nextWho}</bdi>] : NONE),
    },
    { title: 'System', by: 'system', width: '10%', class: 'second clip', cell: ({ sut }) => systemOf(sut) },
    { title: 'Type', by: 'type', width: '4%', class: 'muted', cell: ({ sut }) => sut.sut_type.toUpperCase() },
    {
      ...{ title: 'Tags', width: '12%', class: 'clip tags' },
      cell: ({ sut }) =>
        Object.entries(sut.tags).flatMap(([name, value]) => [<Tag key={name} name={name} value={value} />, ' ']),
    },
    { title: 'Last 24 h', width: '10%', cell: strip },
    { title: 'Uptime', width: '9.7%', class: 'second clip', isNumber: true, cell: upOf },
  ]
}
