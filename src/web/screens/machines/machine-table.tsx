import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { systemOf } from '../../data/objects.ts'
import { Strip } from '../../features/machines/strip.tsx'
import { type Uptime, upText } from '../../features/machines/uptime.ts'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { grouped, layOut, visibleRows } from '../../features/schedule/rows.ts'
import { formatWhen } from '../../format/format.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import type { Column, Row } from './machine-list.ts'
import { view } from './machines-view.ts'

interface Props {
  readonly rows: readonly Row[]
  readonly now: number
  /** What of the last day is known of each machine; undefined until it was read. */
  readonly uptimes: ReadonlyMap<string, Uptime> | undefined
  readonly day: Stretch
  readonly onView: (sutIds: readonly string[]) => void
}

const Head = ({ column, text, className = '' }: { column: Column; text: string; className?: string }): VNode => {
  const order = useComputed(() => view.value.order).value
  const isBy = order.by === column
  const sort = (): void => {
    view.value = { ...view.value, order: { by: column, isDescending: isBy && !order.isDescending } }
  }
  return (
    <th class={className} aria-sort={isBy ? (order.isDescending ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="sort" onClick={sort}>
        {text}
        {isBy && <Icon name={order.isDescending ? 'down' : 'up'} />}
      </button>
    </th>
  )
}

const None = (): VNode => <span class="muted">–</span>

interface RowProps extends Omit<Props, 'rows' | 'onView'> {
  readonly row: Row
  readonly index: number
  readonly isStop: boolean
}

const MachineRow = ({ row, now, uptimes, day, index, isStop }: RowProps): VNode => {
  const { sut, state, who, nextWho } = row
  const uptime = uptimes?.get(sut._id)
  const up = uptime === undefined ? '' : upText(uptime, day)
  const isOff = state.kind === 'off'
  return (
    <tr aria-rowindex={index + 2}>
      <td>
        <span class="row">
          <Icon name={state.icon} />
          <a class="medium clip plain" data-row={index} tabindex={isStop ? 0 : -1} href={linkTo('machines', sut._id)}>
            <bdi>{sut.name}</bdi>
          </a>
          <span class="vh phone-only"> {state.text}</span>
        </span>
      </td>
      <td class="second clip">{isOff ? <span class="danger">{state.text}</span> : state.text}</td>
      <td class="clip">{who === undefined ? <None /> : <bdi>{who}</bdi>}</td>
      <td class="r">{state.running && formatWhen(state.running.to, now)}</td>
      <td class="second num clip">
        {state.next === undefined ? (
          <None />
        ) : (
          <>
            {formatWhen(state.next.from, now)} <bdi>{nextWho}</bdi>
          </>
        )}
      </td>
      <td class="second clip">{systemOf(sut)}</td>
      <td class="muted">{sut.sut_type.toUpperCase()}</td>
      <td class="clip tags">
        {Object.entries(sut.tags).map(([name, value]) => (
          <>
            <span key={name} class="tag">
              <b>{name}</b>
              <bdi>{value}</bdi>
            </span>{' '}
          </>
        ))}
      </td>
      <td>{up !== '' && uptime && <Strip uptime={uptime} span={day} count={24} label="Last 24 hours" />}</td>
      <td class="r second">{up}</td>
    </tr>
  )
}

const isPhone = (): boolean => matchMedia('(max-width: 640px)').matches

const useWindow = (rows: readonly Row[]) => {
  const [box, setBox] = useState({ top: 0, height: 900 })
  const scroller = useRef<HTMLDivElement>(null)
  const measure = (): void => {
    const at = scroller.current
    if (at !== null) setBox({ top: at.scrollTop, height: at.clientHeight })
  }
  useLayoutEffect(() => {
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const height = isPhone() ? 44 : 36
  const layout = layOut(
    grouped(
      rows.map(({ sut }) => sut),
      undefined,
      new Set(),
    ),
    { group: 0, machine: height },
  )
  const [first, last] = visibleRows(layout, box.top, box.height)
  return { scroller, measure, first, last, height }
}

export const MachineTable = ({ rows, now, uptimes, day, onView }: Props): VNode => {
  const { scroller, measure, first, last, height } = useWindow(rows)
  const [at, setAt] = useState(0)
  const shown = rows.slice(first, last)
  const ids = shown.map(({ sut }) => sut._id)
  useEffect(() => onView(ids), [ids.join()])
  const go = (index: number): void => {
    const to = Math.min(Math.max(index, 0), rows.length - 1)
    const box = scroller.current
    if (box === null) return
    const [top, bottom] = [to * height, (to + 1) * height + 32]
    if (top < box.scrollTop) box.scrollTop = top
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight
    setAt(to)
    measure()
    requestAnimationFrame(() => box.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus())
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = Number((event.target as HTMLElement).dataset.row ?? Number.NaN)
    if (!Number.isInteger(from)) return
    const to = {
      ...{ ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + 10, PageUp: from - 10 },
      ...{ Home: 0, End: rows.length - 1 },
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  const stop = Math.min(Math.max(at, first), Math.max(first, last - 1))
  return (
    <div class="machines-in" ref={scroller} onScroll={measure} tabindex={-1} role="region" aria-label="Machines">
      <table class="table machines" aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
        <thead>
          <tr aria-rowindex={1}>
            <Head column="name" text="Machine" />
            <Head column="state" text="State" />
            <Head column="who" text="Who has it" />
            <Head column="until" text="Until" className="r" />
            <th>Next</th>
            <Head column="system" text="System" />
            <Head column="type" text="Type" />
            <th>Tags</th>
            <th>Last 24 h</th>
            <th class="r">Uptime</th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && (
            // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row cannot have the focus.
            <tr class="away" aria-hidden="true" style={{ '--h': `${first * height}px` }}>
              <td colspan={10} />
            </tr>
          )}
          {shown.map((row, n) => (
            <MachineRow
              key={row.sut._id}
              row={row}
              now={now}
              uptimes={uptimes}
              day={day}
              index={first + n}
              isStop={first + n === stop}
            />
          ))}
          {last < rows.length && (
            // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row cannot have the focus.
            <tr class="away" aria-hidden="true" style={{ '--h': `${(rows.length - last) * height}px` }}>
              <td colspan={10} />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
