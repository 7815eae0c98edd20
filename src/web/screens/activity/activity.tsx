import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { entryOf, filterOf, isFiltering, parametersOf, queryOf } from '../../features/events/feed.ts'
import { Line, type Told } from '../../features/events/line.tsx'
import { sentenceOf, textOf } from '../../features/events/sentence.ts'
import { formatNumber, formatRelativeDay, formatSecond } from '../../format/format.ts'
import { midnightOf } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { AsOfDialog } from './as-of-dialog.tsx'
import { NewestCheckpoint } from './checkpoint.tsx'
import { Filters } from './filters.tsx'
import { Holders } from './holders.tsx'
import { useNames, useReader } from './names.ts'
import { KEPT_MAX, useFeed } from './use-feed.ts'

const NOTHING: readonly never[] = []

const Days = ({ told, now }: { readonly told: readonly Told[]; readonly now: number }): VNode => {
  const days = Map.groupBy(told, ({ entry }) => midnightOf(Date.parse(entry.time)))
  return (
    <div>
      {[...days].map(([day, lines]) => (
        <section key={day} aria-label={formatRelativeDay(day, now)}>
          <h2 class="feed-day">{formatRelativeDay(day, now)}</h2>
          {lines.map((each) => (
            <Line key={each.entry.sequence} {...each} when={formatSecond(Date.parse(each.entry.time))} />
          ))}
        </section>
      ))}
    </div>
  )
}

export const Activity = (): VNode => {
  const page = usePage()
  const now = page.minute.value
  const { parameters } = page.place.value
  const asked = useMemo(() => filterOf(parameters), [parameters])
  const [text, setText] = useState(asked.text)
  const filter = { ...asked, text }
  const type = (next: string): void => {
    setText(next)
    history.replaceState(history.state, '', linkTo('activity', undefined, parametersOf({ ...filter, text: next })))
  }
  const [isChoosing, setChoosing] = useState(false)
  const { feed, failed, retry, readOlder, isReading } = useFeed(queryOf(filter))
  const events = feed?.events ?? NOTHING
  const names = useNames()
  const reader = useReader(events, names)
  const wanted = text.trim().toLocaleLowerCase()
  const told = events
    .map(entryOf)
    .map((entry): Told => ({ entry, sentence: sentenceOf(entry, reader) }))
    .filter(
      (each) =>
        wanted === '' || `${textOf(each.sentence)} ${each.entry.reason ?? ''}`.toLocaleLowerCase().includes(wanted),
    )
  const content = ({ older: rest }: NonNullable<typeof feed>): VNode => {
    const older = rest !== undefined && events.length < KEPT_MAX
    return (
      <div>
        <Days told={told} now={now} />
        {told.length === 0 && (
          <StateBlock
            icon="pulse"
            title={isFiltering(filter) ? 'No matching entries' : 'No activity yet'}
            text={older ? 'Older entries are not loaded yet.' : undefined}
          />
        )}
        {older && (
          <p class="older">
            <Button label="Older" look="quiet small" disabled={isReading} onClick={readOlder} />
          </p>
        )}
        {rest !== undefined && !older && (
          <p class="older muted small">
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
          <Filters filter={filter} names={names} onText={type} />
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
