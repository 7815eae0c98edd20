import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { formatNumber } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { loadLater } from '../../page/later.tsx'

interface PlotSeries {
  readonly name: string
  readonly values: readonly number[]
  /** Whether it is what is left of another one, before which it is drawn. */
  readonly isHatched?: boolean
}

interface PlotProps {
  readonly label: string
  /** What each bucket is called, on the axis and in full. */
  readonly marks: readonly (readonly [short: string, full: string])[]
  readonly series: readonly PlotSeries[]
  readonly unit: string
}

const HEIGHT = 220

/** A color of the style sheets as it is now, which a canvas cannot look up. */
const colorOf = (element: HTMLElement, token: string): string => {
  element.style.color = `var(${token})`
  return getComputedStyle(element).color
}

/** Lines as those of the legend. */
const hatch = (color: string, ground: string): CanvasPattern | string => {
  const size = 8
  const tile = document.createElement('canvas')
  tile.width = size
  tile.height = size
  const context = tile.getContext('2d')
  if (context === null) return ground
  context.fillStyle = ground
  context.fillRect(0, 0, size, size)
  context.strokeStyle = color
  context.lineWidth = 2
  for (const x of [-size, 0, size]) {
    context.moveTo(x, size)
    context.lineTo(x + size, 0)
  }
  context.stroke()
  return context.createPattern(tile, 'repeat') ?? ground
}

const optionsOf = (
  Plot: typeof uPlot,
  { marks, series }: PlotProps,
  box: HTMLElement,
  onCursor: (index: number | undefined, left: number) => void,
): uPlot.Options => {
  const [text, line] = [colorOf(box, '--text-3'), colorOf(box, '--line')]
  const font = `11px ${getComputedStyle(box).fontFamily}`
  const fills = [colorOf(box, '--accent'), hatch(colorOf(box, '--accent'), colorOf(box, '--accent-tint-2'))]
  const axis = { stroke: text, font, ticks: { show: false } }
  return {
    ...{ width: box.clientWidth, height: HEIGHT, legend: { show: false } },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.5, marks.length - 0.5] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      {
        ...{ ...axis, grid: { show: false }, space: 64, incrs: [1, 2, 5, 7, 10, 14, 28, 56] },
        values: (_plot, splits) => splits.map((n) => marks[n]?.[0] ?? ''),
      },
      {
        ...{ ...axis, grid: { stroke: line, width: 1 }, size: 48 },
        values: (_plot, splits) => splits.map(formatNumber),
      },
    ],
    series: [
      {},
      ...series.map(({ isHatched }) => ({
        ...{ fill: () => fills[isHatched ? 1 : 0] as string, width: 0, points: { show: false } },
        paths: Plot.paths.bars?.({ size: [0.88, 56] }) as uPlot.Series.PathBuilder,
      })),
    ],
    hooks: {
      setCursor: [({ cursor: { idx, left = -1 } }) => onCursor(left < 0 ? undefined : (idx ?? undefined), left)],
    },
  }
}

/** What draws is loaded with the first plot. It cannot be where the browser has no language that it knows. */
const useLibrary = () => {
  const [library, setLibrary] = useState<typeof uPlot | 'none' | undefined>(undefined)
  useEffect(() => {
    void loadLater(() => import('uplot')).then((loaded) => setLibrary(() => loaded?.default ?? 'none'))
  }, [])
  return library
}

const DARK = matchMedia('(prefers-color-scheme: dark)')

/** Changes when other colors count. */
const useColors = (): string => {
  const { theme } = usePage()
  const [isDark, setDark] = useState(DARK.matches)
  useEffect(() => {
    const read = (): void => setDark(DARK.matches)
    DARK.addEventListener('change', read)
    return () => DARK.removeEventListener('change', read)
  }, [])
  return `${theme.value} ${isDark}`
}

/** Bars over time. A table says the same to those who do not see it. */
export const Plot = (props: PlotProps) => {
  const { label, marks, series, unit } = props
  const box = useRef<HTMLDivElement>(null)
  const library = useLibrary()
  const colors = useColors()
  const [at, setAt] = useState<{ readonly index: number; readonly left: number } | undefined>(undefined)
  useLayoutEffect(() => {
    const { current } = box
    if (library === undefined || library === 'none' || current === null) return undefined
    const onCursor = (index: number | undefined, left: number): void =>
      setAt(index === undefined ? undefined : { index, left })
    const data = [marks.map((_, n) => n), ...series.map(({ values }) => values)] as uPlot.AlignedData
    const plot = new library(optionsOf(library, props, current, onCursor), data, current)
    const observer = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [library, colors, JSON.stringify([marks, series])])
  if (library === 'none') return <p class="muted">This browser cannot draw it. The table says the same.</p>
  const isRight = at !== undefined && at.index > marks.length / 2
  return (
    <div class="plot" role="img" aria-label={label}>
      <div ref={box} />
      {at !== undefined && (
        <div class={isRight ? 'plot-tip small right' : 'plot-tip small'} style={{ '--at': `${at.left}px` }}>
          <b>{marks[at.index]?.[1]}</b>
          {series.toReversed().map(({ name, values }) => (
            <div key={name}>
              {formatNumber(values[at.index] ?? 0)} {unit} {name}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
