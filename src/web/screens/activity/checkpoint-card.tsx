import { NOTHING } from '../../data/query.ts'
import { checkpointOf, shortRoot } from '../../features/events/checkpoint.ts'
import { formatMoment, formatNumber } from '../../format/format.ts'
import { usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { KeyValues } from '../../parts/show/key-values.tsx'
import { currentTime } from '../../service/time.ts'

interface Signed {
  readonly text: string
  readonly at: number
}

/** The newest checkpoint, which proves what the log was. Each costs a signature: none is made but here and when asked. */
export const NewestCheckpoint = () => {
  const { api, control } = usePage()
  const reading = useReading<Signed>({
    ...{ key: 'checkpoint', ...NOTHING },
    read: async () => {
      const { blob, refused } = await api.file('/api/audit/checkpoint', 'text/plain')
      if (refused !== undefined) throw refused
      return { text: await blob.text(), at: currentTime() }
    },
  })
  const facts = ({ text, at }: Signed) => {
    const checkpoint = checkpointOf(text)
    if (checkpoint === undefined) return undefined
    const download = (): void =>
      saveFile(new Blob([text], { type: 'text/plain' }), `log-${checkpoint.entries}.checkpoint`)
    const isOff = !control.isAnswered.value
    return (
      <>
        <KeyValues
          rows={[
            ['Signed', formatMoment(at), 'num'],
            ['Entries', formatNumber(checkpoint.entries), 'num'],
            ['Root', <span title={checkpoint.root}>{shortRoot(checkpoint.root)}</span>, 'mono'],
            ['Key', checkpoint.key, 'mono'],
          ]}
        />
        <div class="row wrap">
          <CopyButton text={text} isWide />
          <Button icon="download" label="Download" look="small" onClick={download} />
          <IconButton
            icon="refresh"
            label="Sign a new one"
            look="quiet small"
            disabled={isOff}
            onClick={reading.retry}
          />
        </div>
        <p class="small muted">Store it elsewhere. It proves that nothing recorded so far was changed or removed.</p>
      </>
    )
  }
  return (
    <section class="stack checkpoint" aria-label="Newest checkpoint">
      <div class="row">
        <Icon name="shield" />
        <h2 class="grow">Newest checkpoint</h2>
      </div>
      <Loaded reading={reading} what="The checkpoint">
        {facts}
      </Loaded>
    </section>
  )
}
