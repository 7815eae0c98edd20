import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../process/harness.ts'
import { readSteps } from './answers.ts'
import { type Document, tour } from './documents.ts'

/** The picture shows the last command of these steps of the tour, with the answers that a test compares. */
const SHOWN = ['"$(window 10:00:00 12:00:00)"', '"$(window 11:30:00 12:00:00)"', 'history $SUT', 'verify --against']

const COLUMNS = 122
const CHARACTER = 7.25
const LINE = 18
const MARGIN = 20

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

interface Line {
  readonly kind: 'command' | 'answer'
  readonly text: string
  /** The number of its step. */
  readonly step: number
}

const linesOf = ({ blocks }: Document): readonly Line[] => {
  const steps = blocks.filter(({ info }) => info === 'sh').flatMap(({ code }) => readSteps(code))
  return SHOWN.flatMap((part, step): readonly Line[] => {
    const found = steps.find(({ commands }) => commands.split('\n').at(-1)?.includes(part))
    if (found === undefined) throw new Error(`the tour has no command with ${part}`)
    const command: Line = { kind: 'command', text: found.commands.split('\n').at(-1) as string, step }
    const answers = found.answer
      .split('\n')
      .map((text): Line => ({ kind: 'answer', text: text.replaceAll('\t', '  '), step }))
    return [command, ...answers]
  })
}

/** A picture of a terminal with part of the tour, step by step, in SVG. */
export const drawRecording = (document: Document): string => {
  const lines = linesOf(document)
  const width = Math.round(COLUMNS * CHARACTER + 2 * MARGIN)
  const height = (lines.length + SHOWN.length) * LINE + 2 * MARGIN
  const rows = lines.map(({ kind, text, step }, index) => {
    const y = MARGIN + (index + step + 1) * LINE
    const prompt = kind === 'command' ? '<tspan class="prompt">$ </tspan>' : ''
    return `<text class="${kind} step${step}" x="${MARGIN}" y="${y}">${prompt}${escaped(text.slice(0, COLUMNS))}</text>`
  })
  const delays = SHOWN.map((_, step) => `.step${step} { animation-delay: ${step * 1.5}s }`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A machine is reserved, a second request is refused with the next free window, and the log is verified</title>
<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre; animation: show 0.4s both }
.command { fill: #ffffff }
.prompt { fill: #7ee787 }
${delays.join('\n')}
@keyframes show { from { opacity: 0 } to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`
}

if (import.meta.main) writeFileSync(join(ROOT, 'src/guide/pictures/tour.svg'), drawRecording(tour))
