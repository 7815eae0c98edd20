import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { readAll } from '../../data/lists.ts'
import { formatNumber } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { Refused } from '../../service/api.ts'
import {
  type Columns,
  type CsvRow,
  type Problem,
  problemsOf,
  problemsOfErrors,
  problemText,
  readCsv,
  recordsOf,
} from './rows.ts'

export interface Kind {
  readonly title: string
  /** `/api/sut/import`. */
  readonly path: string
  /** The member of the body that has the rows, and of the answer. */
  readonly member: string
  readonly columns: Columns
  /** `24 machines`. */
  readonly count: (many: number) => string
  readonly toRow: (record: Readonly<Record<string, string>>) => object
  readonly example: string
}

interface Props {
  readonly kind: Kind
  readonly children?: ComponentChildren
  /** Called with the answer of the service; the dialog waits for it. */
  readonly onAdded?: (answer: Readonly<Record<string, unknown>>) => Promise<void>
  /** What is asked before it closes, while it shows what is lost then. */
  readonly question?: string | undefined
  readonly onClose: () => void
}

type Step =
  | { readonly at: 'choose' }
  | { readonly at: 'wrong'; readonly problems: readonly Problem[] }
  | { readonly at: 'refused'; readonly refused: Refused; readonly again: (() => void) | undefined }
  | {
      readonly at: 'ready'
      readonly rows: readonly object[]
      /** Of these, how many have a name that is taken. */
      readonly known: number
    }
  | { readonly at: 'done'; readonly count: number }

interface Named {
  readonly _id: string
  readonly name: string
}

const SHOWN = 20

const Problems = ({ problems }: { readonly problems: readonly Problem[] }): VNode => (
  <Note kind="danger">
    <p>Nothing was added. Correct the file and choose it again.</p>
    <ul class="problems">
      {problems.slice(0, SHOWN).map((problem, n) => (
        <li key={n}>{problemText(problem)}</li>
      ))}
    </ul>
    {problems.length > SHOWN && <p>And {formatNumber(problems.length - SHOWN)} more.</p>}
  </Note>
)

const useImport = ({ kind, onAdded }: Pick<Props, 'kind' | 'onAdded'>) => {
  const { api } = usePage()
  const { path, member, columns, toRow } = kind
  const [step, setStep] = useState<Step>({ at: 'choose' })
  const [isBusy, setBusy] = useState(false)
  const busily = async (run: () => Promise<Step>): Promise<void> => {
    setBusy(true)
    setStep(await run())
    setBusy(false)
  }
  const refusedAs = (error: unknown, again: (() => void) | undefined, rows: readonly CsvRow[] = []): Step => {
    if (!(error instanceof Refused)) throw error
    const { errors = [] } = error.problem
    if (errors.length > 0 && rows.length > 0) return { at: 'wrong', problems: problemsOfErrors(errors, rows) }
    return { at: 'refused', refused: error, again }
  }
  const check = (file: File): Promise<void> =>
    busily(async () => {
      const rows = await readCsv(new Uint8Array(await file.arrayBuffer()))
      if (!Array.isArray(rows)) return { at: 'wrong', problems: [rows as Problem] }
      const problems = problemsOf(rows, columns)
      if (problems.length > 0) return { at: 'wrong', problems }
      const found = recordsOf(rows).map(toRow)
      try {
        await api.post(path, { body: { [member]: found, dry_run: true } })
        const all = await readAll<Named>(api, path.replace('/import', ''), member)
        const names = new Set(all.map(({ name }) => name))
        return { at: 'ready', rows: found, known: recordsOf(rows).filter(({ name = '' }) => names.has(name)).length }
      } catch (error) {
        return refusedAs(error, () => void check(file), rows)
      }
    })
  const add = (rows: readonly object[]): Promise<void> =>
    busily(async () => {
      try {
        const { value } = await api.send(path, { body: { [member]: rows } })
        await onAdded?.(value as Readonly<Record<string, unknown>>)
        return { at: 'done', count: rows.length }
      } catch (error) {
        return refusedAs(error, () => void add(rows))
      }
    })
  return { step, isBusy, check, add }
}

const Choose = ({ kind, isBusy, onFile }: { kind: Kind; isBusy: boolean; onFile: (file: File) => void }): VNode => {
  const { required, optional, prefix } = kind.columns
  const download = (): void => saveFile(new Blob([kind.example], { type: 'text/csv' }), 'example.csv')
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? []
    if (file !== undefined) onFile(file)
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    take(event.dataTransfer?.files)
  }
  return (
    <div class="field" onDragOver={(event: Event) => event.preventDefault()} onDrop={onDrop}>
      <label for="import-file">CSV file</label>
      <input
        id="import-file"
        class="input file"
        type="file"
        accept=".csv,text/csv"
        autofocus
        disabled={isBusy}
        // A file that was corrected under its name is chosen anew.
        onClick={({ currentTarget }) => {
          currentTarget.value = ''
        }}
        onChange={({ target }: Event) => take((target as HTMLInputElement).files)}
      />
      <span class="small muted">
        The first row names the columns: {required.join(', ')}; optional: {optional.join(', ')}
        {prefix !== undefined && `, and ${prefix}name for each`}. At most {kind.columns.most} rows.
      </span>
      <span>
        <Button icon="download" label="Download an example" look="quiet small" class="under" onClick={download} />
      </span>
    </div>
  )
}

/** Adds what a CSV file has: all of it, or nothing. It is checked before, and each problem named with its line. */
export const ImportDialog = ({ kind, question, children, onAdded, onClose }: Props): VNode => {
  const { control } = usePage()
  const isAnswered = control.isAnswered.value
  const { step, isBusy, check, add } = useImport({ kind, ...(onAdded && { onAdded }) })
  const submit = (): void => {
    if (step.at === 'ready' && isAnswered) void add(step.rows)
    else if (step.at === 'refused') step.again?.()
  }
  const label = { choose: 'Add', wrong: 'Add', refused: 'Try again', done: 'Done' } as const
  const text = step.at === 'ready' ? `Add ${kind.count(step.rows.length)}` : label[step.at]
  const isOff = isBusy || step.at === 'choose' || step.at === 'wrong' || (step.at !== 'done' && !isAnswered)
  const foot = (
    <>
      <span class="grow" />
      {step.at !== 'done' && <Button label="Cancel" look="quiet" onClick={onClose} />}
      <Button label={text} look="primary" type="submit" disabled={isOff} />
    </>
  )
  return (
    <Dialog
      title={kind.title}
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={submit}
      foot={foot}
      isDone={step.at === 'done'}
      question={question}
    >
      {step.at !== 'done' && <Choose kind={kind} isBusy={isBusy} onFile={check} />}
      {isBusy && (
        <p class="muted" role="status">
          Checking…
        </p>
      )}
      {step.at === 'wrong' && <Problems problems={step.problems} />}
      {step.at === 'refused' && <RefusedNote refused={step.refused} />}
      {step.at === 'ready' && (
        <Note kind="ok">{kind.count(step.rows.length)} can be added. Nothing was added yet.</Note>
      )}
      {step.at === 'ready' && step.known > 0 && (
        <Note kind="warn">
          {step.known === 1 ? 'One name is' : `${formatNumber(step.known)} names are`} already here, and would be there
          twice.
        </Note>
      )}
      {step.at === 'done' && <Note kind="ok">{kind.count(step.count)} added.</Note>}
      {children}
    </Dialog>
  )
}
