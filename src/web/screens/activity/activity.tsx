import { useState } from 'preact/hooks'
import type { Entry } from '../../features/events/entries.ts'
import { entryOf, NO_FILTER, queryOf } from '../../features/events/feed.ts'
import type { Reader } from '../../features/events/holes.ts'
import { Line } from '../../features/events/line.tsx'
import { type Run, runsOf, type Sentence, sentenceOf, textOf } from '../../features/events/sentence.ts'
import { fold, formatNumber, formatRelativeDay, formatSecond, midnightOf } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { fromParameters, toParameters } from '../../page/location.ts'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { AsOfDialog } from './as-of-dialog.tsx'
import { Holders, NewestCheckpoint } from './aside.tsx'
import { Filters } from './filters.tsx'
import { useNames, useReader } from './names.ts'
import { KEPT_MAX, useFeed } from './use-feed.ts'

const NOTHING: readonly never[] = []

const lineOf = (entry: Entry, sentence: Sentence) => (
  <Line key={entry.sequence} {...{ entry, sentence, when: formatSecond(Date.parse(entry.time)) }} />
)

const RunRow = ({ run: { entries, sentence }, reader }: { readonly run: Run; readonly reader: Reader }) => {
  const [isOpen, setOpen] = useState(false)
  const [newest] = entries
  return (
    <details class="ev-run" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="row">
        {newest && lineOf(newest, sentence)}
        <Icon name="down" />
      </summary>
      {isOpen && entries.map((entry) => lineOf(entry, sentenceOf(entry, reader)))}
    </details>
  )
}

export const Activity = () => {
  const page = usePage()
  const now = page.minute.value
  const [filter, setFilter] = useState(() => fromParameters(NO_FILTER, page.place.value.parameters))
  useFilterInAddress('activity', NO_FILTER, filter, setFilter)
  const [isChoosing, setChoosing] = useState(false)
  const { feed, failed, retry, readOlder, isReading } = useFeed(queryOf(filter))
  const events = feed?.events ?? NOTHING
  const names = useNames()
  const reader = useReader(events, names)
  const wanted = fold(filter.text.trim())
  const matches = (entry: Entry): boolean =>
    fold(`${textOf(sentenceOf(entry, reader))} ${entry.reason ?? ''}`).includes(wanted)
  const entries = events.map(entryOf).filter((entry) => wanted === '' || matches(entry))
  const days = Map.groupBy(entries, ({ time }) => midnightOf(Date.parse(time)))
  const content = ({ older: rest }: NonNullable<typeof feed>) => {
    const older = rest !== undefined && events.length < KEPT_MAX
    return (
      <div>
        <div>
          {[...days].map(([day, ofDay], n) => (
            <section key={day} aria-label={formatRelativeDay(day, now)}>
              <h2 class="feed-day small muted medium">{formatRelativeDay(day, now)}</h2>
              {runsOf(ofDay, reader, rest !== undefined && n === days.size - 1).map(({ entries: all, sentence }) =>
                all.length === 1 ? (
                  all.map((entry) => lineOf(entry, sentence))
                ) : (
                  <RunRow key={all.at(-1)?.sequence} run={{ entries: all, sentence }} reader={reader} />
                ),
              )}
            </section>
          ))}
        </div>
        {entries.length === 0 && (
          <StateBlock
            icon="pulse"
            title={Object.keys(toParameters(filter)).length > 0 ? 'No matching entries' : 'No activity yet'}
            text={older ? 'Older entries are not loaded yet.' : undefined}
          />
        )}
        {older && (
          <p class="under">
            <Button label="Older" look="quiet small" disabled={isReading} onClick={readOlder} />
          </p>
        )}
        {rest !== undefined && !older && (
          <p class="under muted small">
            These are the {formatNumber(KEPT_MAX)} newest. Choose dates to see older ones.
          </p>
        )}
      </div>
    )
  }
  return (
    <Page
      title="Activity"
      beside={
        <Button icon="clock" aria-haspopup="dialog" onClick={() => setChoosing(true)}>
          As of now
          <Icon name="down" />
        </Button>
      }
    >
      <div class="cols">
        <div>
          <Filters filter={filter} names={names} onChange={setFilter} />
          <Loaded reading={{ value: feed, failed, retry }} what="The activity" skeleton={6}>
            {content}
          </Loaded>
        </div>
        <aside class="stack aside">
          <NewestCheckpoint />
          <Holders names={names} now={now} />
        </aside>
      </div>
      {isChoosing && <AsOfDialog now={page.clock.peek()} onClose={() => setChoosing(false)} />}
    </Page>
  )
}
