import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { takenOf } from '../../data/objects.ts'
import { isRunning, versionOf } from '../../data/own.ts'
import { RETRY_DELAY_MS } from '../../data/reading.ts'
import { RequestCard } from '../../features/queue/card.tsx'
import { formatZone } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { FailedBlock, StateBlock } from '../../parts/state.tsx'
import { texts } from '../../parts/texts.ts'
import type { Refused } from '../../service/api.ts'
import { BeforeTheEnd, Quota } from './aside.tsx'
import { useMachines, usePast } from './held.ts'
import { Ahead, Past } from './rows.tsx'
import { type Held, Running } from './running.tsx'
import { SeriesAhead, useRules } from './series.tsx'

/** Past reservations that are shown at first, and after "Show more". */
const FEW = 20
const MANY = 1_000

const Skeleton = (): VNode => (
  <div aria-busy="true">
    <span class="vh" role="status">
      Loading
    </span>
    {[0, 1, 2, 3].map((n) => (
      <div key={n} class="list-row">
        <span />
        <span class="sk sk-name" />
      </div>
    ))}
  </div>
)

const Head = ({ now }: { readonly now: number }): VNode => (
  <div class="page-head">
    <h1 class="grow">{texts.headings.mine}</h1>
    <span class="small muted">Times in {formatZone(now)}</span>
  </div>
)

const Nothing = (): VNode => (
  <StateBlock icon="calendar" title="You have no reservations">
    <div class="row">
      <Button label="See what is free" look="primary" href={linkTo('schedule')} />
      <Button label={texts.headings.book} href={linkTo('book')} />
    </div>
  </StateBlock>
)

const Failed = ({ failed, onRetry }: { readonly failed: Refused; readonly onRetry: () => void }): VNode => (
  <FailedBlock
    title="Your reservations could not be loaded"
    failed={failed}
    seconds={RETRY_DELAY_MS / 1_000}
    onRetry={onRetry}
  />
)

const PastSection = ({
  mayReserve,
  isAlone,
  version,
}: {
  readonly mayReserve: boolean
  /** What is past is read again when this changes. */
  readonly version: string
  readonly isAlone: boolean
}): VNode | undefined => {
  const [most, setMost] = useState(FEW)
  const { value, failed, retry } = usePast(meOf(usePage())._id, most, version)
  if (value === undefined) return failed && <Failed failed={failed} onRetry={retry} />
  if (value.reservations.length === 0) return isAlone ? <Nothing /> : undefined
  return (
    <section class="section">
      <div class="section-head">
        <h2 class="grow">Past</h2>
        {value.hasMore && most < MANY && <Button label="Show more" look="quiet small" onClick={() => setMost(MANY)} />}
      </div>
      {value.reservations.map((reservation) => {
        const held: Held = { reservation, sut: undefined, taken: undefined }
        return <Past key={reservation._id} held={held} used={value.used.get(reservation._id)} mayReserve={mayReserve} />
      })}
    </section>
  )
}

/** One's own reservations: what runs, what comes, what was. */
export const Mine = (): VNode => {
  const page = usePage()
  const now = page.clock.value
  const { reservations, requests, isLoaded, failed } = page.own.own.value
  const isAnswered = page.control.isAnswered.value
  const notOver = reservations.filter(({ end_time }) => Date.parse(end_time) > now)
  const { suts, booked } = useMachines(notOver.map(({ sut_id }) => sut_id))
  const rules = useRules(meOf(page)._id, notOver)
  const mayReserve = meOf(page).role !== 'auditor'
  const held = notOver.map((reservation): Held => {
    const [sut, by] = [suts?.get(reservation.sut_id), booked?.get(reservation.sut_id)]
    return { reservation, sut, taken: sut && by && takenOf(sut, by) }
  })
  const running = held.filter(({ reservation }) => isRunning(reservation, now))
  const ahead = held.filter(({ reservation }) => Date.parse(reservation.start_time) > now)
  const main = (): VNode => {
    if (!isLoaded) return failed === undefined ? <Skeleton /> : <Failed failed={failed} onRetry={page.own.read} />
    return (
      <div class="plain-sections">
        {running.length > 0 && (
          <section>
            <div class="section-head">
              <h2>Running</h2>
            </div>
            {running.map((each) => (
              <Running key={each.reservation._id} held={each} isDisabled={!isAnswered} />
            ))}
          </section>
        )}
        {ahead.length > 0 && (
          <section class="section">
            <div class="section-head">
              <h2>Next</h2>
            </div>
            {[...Map.groupBy(ahead, ({ reservation: { _id, series_id } }) => series_id ?? _id)].map(([id, all]) =>
              all[0]?.reservation.series_id ? (
                <SeriesAhead key={id} all={all} rrule={rules?.get(id)} isDisabled={!isAnswered} />
              ) : (
                all.map((held) => <Ahead key={id} held={held} isDisabled={!isAnswered} />)
              ),
            )}
          </section>
        )}
        {requests.length > 0 && (
          <section class="section">
            <div class="section-head">
              <h2>Waiting</h2>
            </div>
            {requests.map(({ _id }) => (
              <RequestCard key={_id} id={_id} isDisabled={!isAnswered} />
            ))}
          </section>
        )}
        <PastSection
          mayReserve={mayReserve}
          isAlone={held.length + requests.length === 0}
          version={versionOf(notOver)}
        />
      </div>
    )
  }
  return (
    <main class="main">
      <div class="page">
        <Head now={now} />
        <div class="cols">
          {main()}
          <aside class="stack aside">
            <Quota />
            <BeforeTheEnd />
          </aside>
        </div>
      </div>
    </main>
  )
}
