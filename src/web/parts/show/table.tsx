import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'
import type { Order } from './order.ts'

interface LinkProps {
  readonly 'data-row': number
  readonly tabindex: 0 | -1
}

export interface Column<R, C extends string> {
  readonly title: string
  /** By what rows stand where its head is pressed. */
  readonly by?: C
  /** Of its cells. */
  readonly class?: string
  readonly isNumber?: boolean
  readonly width?: string
  readonly cell: (row: R, link: LinkProps) => ComponentChildren
}

interface Props<R, C extends string> {
  readonly label: string
  readonly class: string
  readonly box?: string
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string
  readonly columns: readonly Column<R, C>[]
  readonly order?: Order<C> | undefined
  readonly onOrder?: ((order: Order<C>) => void) | undefined
  readonly rowClass?: (row: R) => string
  /** Whether only rows in view are in the document. All have the same height. */
  readonly isWindowed?: boolean
  /** Called with the keys of those. */
  readonly onView?: (keys: readonly string[]) => void
  readonly openKey?: string | undefined
  readonly onOpen?: (row: R) => void
  /** Below the table. */
  readonly children?: ComponentChildren
}

const Head = <R, C extends string>({
  column,
  order,
  onOrder,
}: { column: Column<R, C> } & Pick<Props<R, C>, 'order' | 'onOrder'>) => {
  const { title, by, isNumber, width } = column
  const isBy = by !== undefined && order?.by === by
  const sort = by && onOrder && ((): void => onOrder({ by, isDescending: isBy && !order.isDescending }))
  return (
    <th
      class={isNumber ? 'r' : ''}
      style={{ '--w': width }}
      aria-sort={isBy ? (order.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {sort ? (
        <button type="button" class="sort" onClick={sort}>
          {title}
          {isBy && <Icon name={order.isDescending ? 'down' : 'up'} />}
        </button>
      ) : (
        title
      )}
    </th>
  )
}

/** Of one cell: one for each column would bring back those that a narrow screen leaves out. */
const Away = ({ height }: { readonly height: number }) =>
  height === 0 ? undefined : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row cannot have the focus.
    <tr class="away" aria-hidden="true" style={{ '--h': `${height}px` }}>
      <td />
    </tr>
  )

/** Rows that are drawn above and below those in view. */
const AROUND = 8
const HEAD_HEIGHT = 32

/** Which rows are in view. */
const useWindow = (count: number, isWindowed: boolean) => {
  const [view, setView] = useState({ top: 0, height: 900, row: 36 })
  const box = useRef<HTMLDivElement>(null)
  const measure = (): void => {
    if (box.current === null) return
    const { scrollTop: top, clientHeight: height } = box.current
    const drawn = box.current.querySelector('tbody tr:not(.away)')
    // Where something covers the list, its rows have no height.
    setView({ top, height, row: drawn?.getBoundingClientRect().height || view.row })
  }
  useLayoutEffect(() => {
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const height = view.row
  // Fewer rows than before, as of a filter, do not reach as far down.
  const top = Math.min(view.top, Math.max(0, count * height + HEAD_HEIGHT - view.height))
  const [first, last] = isWindowed
    ? [
        Math.max(0, Math.floor(top / height) - AROUND),
        Math.min(count, Math.ceil((top + view.height) / height) + AROUND),
      ]
    : [0, count]
  const scrollTo = (row: number): void => {
    const { current } = box
    if (current === null || !isWindowed) return
    const [above, bottom] = [row * height, (row + 1) * height + HEAD_HEIGHT]
    if (above < current.scrollTop) current.scrollTop = above
    else if (bottom > current.scrollTop + current.clientHeight) current.scrollTop = bottom - current.clientHeight
    measure()
  }
  return { box, measure, first, last, height, scrollTo }
}

/** Rows that are sorted by their heads; arrows move, Enter follows the link of a row. */
export const Table = <R, C extends string>(props: Props<R, C>) => {
  const { label, class: look, rows, keyOf, columns, onView, openKey, onOpen, children } = props
  const { box, measure, first, last, height, scrollTo } = useWindow(rows.length, props.isWindowed === true)
  const [at, setAt] = useState(0)
  const shown = rows.slice(first, last)
  const keys = shown.map(keyOf)
  useEffect(() => onView?.(keys), [keys.join()])
  const linkOf = (row: number) => box.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)
  const go = (to: number): void => {
    setAt(to)
    scrollTo(to)
    linkOf(to)?.focus()
    requestAnimationFrame(() => linkOf(to)?.focus())
  }
  // Rows of another height than they were taken to have are elsewhere.
  useLayoutEffect(() => scrollTo(at), [height])
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = Number((event.target as HTMLElement).dataset.row ?? Number.NaN)
    const to = {
      ...{ ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + 10, PageUp: from - 10 },
      ...{ Home: 0, End: rows.length - 1 },
    }[event.key]
    if (to === undefined || !Number.isInteger(from)) return
    event.preventDefault()
    go(Math.min(Math.max(to, 0), rows.length - 1))
  }
  // The focus returns to the row that was open.
  const lastOpen = useRef(openKey)
  useLayoutEffect(() => {
    const index = rows.findIndex((row) => keyOf(row) === (openKey ?? lastOpen.current))
    if (openKey === undefined && lastOpen.current !== undefined) go(Math.max(index, 0))
    else if (index >= 0) {
      setAt(index)
      scrollTo(index)
    }
    lastOpen.current = openKey
  }, [openKey])
  const press = (row: R, { target }: MouseEvent): void => {
    if (!(target as HTMLElement).closest('a') && getSelection()?.type !== 'Range') onOpen?.(row)
  }
  const stop = Math.min(Math.max(at, first), Math.max(first, last - 1))
  return (
    <div class={props.box} ref={box} onScroll={measure} tabindex={-1} role="region" aria-label={label}>
      <table class={`table ${look}`} aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.title} column={column} order={props.order} onOrder={props.onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Away height={first * height} />
          {shown.map((row, n) => {
            const link = { 'data-row': first + n, tabindex: first + n === stop ? 0 : -1 } as const
            return (
              <tr
                key={keys[n]}
                class={keys[n] === openKey ? 'is-open' : props.rowClass?.(row)}
                aria-rowindex={first + n + 2}
                onClick={(event: MouseEvent) => press(row, event)}
              >
                {columns.map(({ title, class: of = '', isNumber, cell }) => (
                  <td key={title} class={isNumber ? `r ${of}` : of}>
                    {cell(row, link)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Away height={(rows.length - last) * height} />
        </tbody>
      </table>
      {children}
    </div>
  )
}
