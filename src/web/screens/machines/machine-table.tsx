import { useComputed } from '@preact/signals'
import { systemOf } from '../../data/objects.ts'
import { Strip } from '../../features/machines/strip.tsx'
import { type Uptime, upText } from '../../features/machines/uptime.ts'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDay, formatWhen } from '../../format/format.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { NameLink } from '../../parts/show/name-link.tsx'
import { Tag } from '../../parts/show/note.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import type { By, Row } from './machine-list.ts'
import { view } from './machines-view.ts'

interface Props {
  readonly rows: readonly Row[]
  readonly now: number
  /** What of the last day is known of each machine; undefined until it was read. */
  readonly uptimes: ReadonlyMap<string, Uptime> | undefined
  readonly day: Stretch
  readonly onView: (sutIds: readonly string[]) => void
}

const NONE = <span class="muted">–</span>

/** A time in a column: one that is a week away without its hour. */
const When = ({ time, now }: { readonly time: number; readonly now: number }) => {
  const text = formatWhen(time, now)
  return <span title={text}>{text.split(' ').length > 2 ? formatDay(time) : text}</span>
}

const columnsOf = ({ now, uptimes, day }: Props): readonly Column<Row, By>[] => {
  const upOf = ({ sut }: Row): string => {
    const uptime = uptimes?.get(sut._id)
    return uptime === undefined ? '' : upText(uptime, day)
  }
  const strip = (row: Row) => {
    const uptime = uptimes?.get(row.sut._id)
    return uptime && upOf(row) !== '' ? (
      <Strip uptime={uptime} span={day} count={24} label="Last 24 hours" />
    ) : undefined
  }
  return [
    {
      title: 'Machine',
      by: 'name',
      width: '12.5%',
      cell: ({ sut, state }, link) => (
        <span class="row">
          <Icon name={state.icon} />
          <NameLink name={sut.name} {...link} href={linkTo('machines', sut._id)} />
          <span class="vh phone-only"> {state.text}</span>
        </span>
      ),
    },
    {
      title: 'State',
      by: 'state',
      width: '13%',
      class: 'second clip',
      cell: ({ state: { kind, text } }) => (kind === 'off' ? <span class="danger">{text}</span> : text),
    },
    {
      title: 'Who has it',
      by: 'who',
      width: '9%',
      class: 'clip',
      cell: ({ who }) => (who === undefined ? NONE : <bdi>{who}</bdi>),
    },
    {
      title: 'Until',
      by: 'until',
      width: '7.8%',
      class: 'clip',
      isNumber: true,
      cell: ({ state }) => state.running && <When time={state.running.to} now={now} />,
    },
    {
      title: 'Next',
      width: '12%',
      class: 'second num clip',
      cell: ({ state, nextWho }) =>
        state.next === undefined
          ? NONE
          : [<When key="when" time={state.next.from} now={now} />, ' ', <bdi key="who">{nextWho}</bdi>],
    },
    { title: 'System', by: 'system', width: '10%', class: 'second clip', cell: ({ sut }) => systemOf(sut) },
    { title: 'Type', by: 'type', width: '4%', class: 'muted', cell: ({ sut }) => sut.sut_type.toUpperCase() },
    {
      title: 'Tags',
      width: '12%',
      class: 'clip tags',
      cell: ({ sut }) =>
        Object.entries(sut.tags).flatMap(([name, value]) => [<Tag key={name} name={name} value={value} />, ' ']),
    },
    { title: 'Last 24 h', width: '10%', cell: strip },
    { title: 'Uptime', width: '9.7%', class: 'second clip', isNumber: true, cell: upOf },
  ]
}

export const MachineTable = (props: Props) => (
  <Table
    label="Machines"
    class="machines"
    box="machines-in"
    rows={props.rows}
    keyOf={({ sut }) => sut._id}
    columns={columnsOf(props)}
    order={useComputed(() => view.value.order).value}
    onOrder={(order) => {
      view.value = { ...view.value, order }
    }}
    isWindowed
    onView={props.onView}
  />
)
