import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatPercent } from '../../format/format.ts'
import { Loaded } from '../../page/loaded.tsx'
import { useMachines } from '../../page/use-timeline.ts'
import { Section } from '../../parts/show/page.tsx'
import { heldShares } from './usage-data.ts'
import { useUsage } from './use-usage.ts'

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
/** Shares from which a cell is darker. */
const STEPS = [0.02, 0.2, 0.4, 0.6, 0.8]

const shade = (step: number) => ({ '--share': `var(--heat-${step})` })

const shareText = (share: number | undefined): string =>
  share === undefined ? 'not known' : formatPercent(Math.round(share * 100) / 100)

const Scale = () => (
  <span class="row small muted heat-scale" aria-hidden="true">
    0%
    {[0, ...STEPS].map((step, n) => (
      <i key={step} style={shade(n)} />
    ))}
    80%
  </span>
)

/** How many of the machines are reserved at which hours of a week: a table, whose cells are shaded. */
export const WeekUse = ({ period, now }: { readonly period: Stretch; readonly now: number }) => {
  const reading = useUsage(period, 'none', 'hour')
  const machines = useMachines().size
  return (
    <Section title="Week" beside={<Scale />}>
      <Loaded reading={reading} what="The usage" skeleton={7}>
        {(rows) => (
          <table class="heat" aria-label="Share of machines reserved, by weekday and hour">
            <thead>
              <tr>
                <td />
                {HOURS.map((hour, n) => (
                  <th key={hour} scope="col">
                    <span class={n % 6 === 0 ? '' : 'vh'}>{hour}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {heldShares(rows, period, machines, now).map((hours, day) => (
                <tr key={day}>
                  <th scope="row">{DAYS[day]}</th>
                  {hours.map((share, hour) => (
                    <td
                      key={hour}
                      style={shade(STEPS.filter((step) => (share ?? 0) >= step).length)}
                      title={`${DAYS[day]} ${HOURS[hour]}:00, ${shareText(share)}`}
                    >
                      <span class="vh">{shareText(share)}</span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </Section>
  )
}
