import { useEffect, useState } from 'preact/hooks'
import { checkpointOf, shortRoot } from '../../features/events/checkpoint.ts'
import { formatMoment, formatNumber } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { useCommand } from '../../parts/commands/command.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { KeyValues } from '../../parts/show/key-values.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import { currentTime } from '../../service/time.ts'

interface Signed {
  readonly text: string
  readonly at: number
}

/** The newest checkpoint, which proves what the log was. Each costs a signature: none is made but here and when asked. */
export const NewestCheckpoint = () => {
  const { api } = usePage()
  const { run, isOff, refused } = useCommand()
  const [signed, setSigned] = useState<Signed | undefined>(undefined)
  const read = () =>
    run(
      () => api.file('/api/audit/checkpoint', 'text/plain'),
      async ({ blob }) => setSigned({ text: await blob.text(), at: currentTime() }),
    )
  useEffect(() => void read(), [])
  const checkpoint = signed && checkpointOf(signed.text)
  const facts = (): unknown => {
    if (signed === undefined || checkpoint === undefined) return undefined
    const download = (): void =>
      saveFile(new Blob([signed.text], { type: 'text/plain' }), `log-${checkpoint.entries}.checkpoint`)
    return (
      <>
        <KeyValues
          rows={[
            ['Signed', formatMoment(signed.at), 'num'],
            ['Entries', formatNumber(checkpoint.entries), 'num'],
            ['Root', <span title={checkpoint.root}>{shortRoot(checkpoint.root)}</span>, 'mono'],
            ['Key', checkpoint.key, 'mono'],
          ]}
        />
        <div class="row wrap">
          <CopyButton text={signed.text} isWide />
          <Button icon="download" label="Download" look="small" onClick={download} />
          <IconButton icon="refresh" label="Sign a new one" look="quiet small" disabled={isOff} onClick={read} />
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
      {facts()}
      {signed === undefined && refused === undefined && (
        <p class="muted" role="status">
          Loading
        </p>
      )}
      {refused !== undefined && (
        <>
          <RefusedNote refused={refused} />
          <div>
            <Button label="Try again" look="small" onClick={read} />
          </div>
        </>
      )}
    </section>
  )
}
