import { CopyButton } from '../../parts/copy.tsx'
import { Name, Note } from '../../parts/show/note.tsx'

interface Props {
  /** What it is: a token's name, or `Anna's password`. */
  readonly name: string
  /** Undefined if the answer with it was lost on its way. */
  readonly secret: string | undefined
  readonly ifLost: string
  readonly onCopied?: () => void
}

export const UNKEPT = 'It is shown only once. Close without copying it?'

export const SecretNote = ({ name, secret, ifLost, onCopied }: Props) =>
  secret === undefined ? (
    <Note kind="warn">
      The answer with <Name of={name} /> was lost on its way. {ifLost}
    </Note>
  ) : (
    <Note kind="ok" icon="key" action={<CopyButton text={secret} isWide onCopied={onCopied} />}>
      <div class="small">
        Copy <Name of={name} /> now. It is shown only once.
      </div>
      <div class="mono secret">{secret}</div>
    </Note>
  )
