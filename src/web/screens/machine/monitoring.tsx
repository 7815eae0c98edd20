import { useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { ofSut } from '../../data/query.ts'
import { Strip } from '../../features/machines/strip.tsx'
import { outagesText, outageText } from '../../features/machines/uptime.ts'
import { readUptimes } from '../../features/machines/use-uptimes.ts'
import { formatClock, formatDay, formatWhen, HOUR, MINUTE } from '../../format/format.ts'
import { useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Segments } from '../../parts/choose/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Section } from '../../parts/show/page.tsx'

/** `Online since Tue 17:02`. */
const statusText = ({ monitoring: { status, status_description, last_updated } }: Sut, now: number): string => {
  if (status === 'Unknown') return 'Not checked yet'
  if (status === 'SUT Monitoring Disabled') return 'Not monitored'
  return `${status} since ${formatWhen(Date.parse(last_updated), now)}${status_description.replace(/^SUT is (online|offline)/, '')}`
}

/** What strips show: their name, their length in hours, their slots, and the marks below. */
const SPANS = {
  day: { text: '24 h', label: 'Last 24 hours', hours: 24, slots: 96 },
  week: { text: '7 days', label: 'Last 7 days', hours: 7 * 24, slots: 84 },
} as const
type Name = keyof typeof SPANS
const NAMES = { day: SPANS.day.text, week: SPANS.week.text }

const LISTED = 10

export const Monitoring = ({ sut, now }: { readonly sut: Sut; readonly now: number }) => {
  const [name, setName] = useState<Name>('day')
  const { text, label, hours, slots } = SPANS[name]
  const span = { from: now - hours * HOUR, to: now }
  const reading = useReading(
    {
      ...{ key: `uptime ${sut._id} ${name}`, ...ofSut(sut._id, 'sut') },
      read: async (source) => (await readUptimes(source, [sut._id], span)).get(sut._id),
    },
    Math.floor(now / (15 * MINUTE)),
  )
  const { value } = reading
  const at = (part: number): string => {
    const time = span.from + part * hours * HOUR
    return name === 'day' ? formatClock(time) : formatDay(time)
  }
  const isOff = sut.monitoring.status === 'Offline'
  const isKnown = value !== undefined && !value.unknown.some(({ from, to }) => from <= span.from && to >= span.to)
  return (
    <Section title="Monitoring" beside={<Segments label="Span" options={NAMES} value={name} onChange={setName} />}>
      <Loaded reading={reading} what="Its outages" skeleton={<span class="sk strip big" />}>
        {(uptime) => uptime && <Strip uptime={uptime} span={span} count={slots} label={label} isBig />}
      </Loaded>
      <div class="strip-axis muted num">
        <span>{name === 'day' ? `yesterday ${at(0)}` : at(0)}</span>
        <span class="desk-only">{at(0.25)}</span>
        <span>{at(0.5)}</span>
        <span class="desk-only">{at(0.75)}</span>
        <span>now</span>
      </div>
      <p class="small second row under">
        {isOff && (
          <span class="danger">
            <Icon name="warning" />
          </span>
        )}
        <span>
          <span class={isOff ? 'danger' : ''}>{statusText(sut, now)}.</span>
          {isKnown && <> {outagesText(value, text, now)}</>}
        </span>
      </p>
      {value !== undefined && value.outages.length > 1 && (
        <ul class="items small second">
          {value.outages
            .toReversed()
            .slice(0, LISTED)
            .map((outage) => (
              <li key={outage.from}>Offline {outageText(outage, now)}.</li>
            ))}
        </ul>
      )}
    </Section>
  )
}
