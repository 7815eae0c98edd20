import { useComputed } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { SutRequest } from '../../data/objects.ts'
import { formatNumber, formatWhen, midnightOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { useMachineName } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { Said } from './card.tsx'
import { wordsOfRequest } from './wants.ts'

const FIRST = 20
const MORE = 100

export const QueueTable = ({ queue }: { readonly queue: readonly SutRequest[] }) => {
  const page = usePage()
  // Drawn again when the day changes, not with every tick: a queue may be long.
  const today = useComputed(() => midnightOf(page.clock.value)).value
  const ownId = meOf(page)._id
  const nameOf = useMachineName()
  // Of a long queue one sees its beginning, and oneself.
  const [most, setMost] = useState(FIRST)
  const rows = queue.map((request, n) => ({ request, place: n + 1, isOwn: request.user_id === ownId }))
  const shown = rows.filter(({ place, isOwn }) => place <= most || isOwn)
  const left = rows.length - shown.length
  const columns: readonly Column<(typeof rows)[number], never>[] = [
    { title: '#', isNumber: true, width: '28px', cell: ({ place }) => place },
    {
      ...{ title: 'Who', width: '33%', class: 'clip' },
      cell: ({ request, isOwn }) => (isOwn ? <a href={linkTo('mine')}>You</a> : <bdi>{request.user_name}</bdi>),
    },
    {
      ...{ title: 'Wants', class: 'second wants' },
      cell: ({ request }) => <Said words={wordsOfRequest(request, nameOf)} />,
    },
    {
      ...{ title: 'Until', isNumber: true, width: '80px' },
      cell: ({ request }) => formatWhen(Date.parse(request.expires_at), today),
    },
  ]
  return (
    <div>
      <Table
        label="Queue"
        class="plain queue"
        rows={shown}
        keyOf={({ request }) => request._id}
        columns={columns}
        rowClass={({ isOwn }) => (isOwn ? 'medium' : '')}
      />
      {left > 0 && (
        <div class="row small">
          <span class="muted grow">{formatNumber(left)} more waiting.</span>
          <Button label="Show more" look="quiet small" onClick={() => setMost(most + MORE)} />
        </div>
      )}
    </div>
  )
}
