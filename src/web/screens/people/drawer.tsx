import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ofUser } from '../../data/query.ts'
import { PersonFields } from '../../features/people/person-fields.tsx'
import { changesOf, EMPTY, OF_QUOTA, type Values, valuesOf, wrongLimits } from '../../features/people/person-values.ts'
import { UNKEPT } from '../../features/people/secret-note.tsx'
import { SessionSection } from '../../features/people/session-section.tsx'
import { TokenSection } from '../../features/people/token-section.tsx'
import type { Quota, Used, User } from '../../features/people/user.ts'
import { formatCount, formatDate } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { goTo, linkTo } from '../../page/location.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { CommandButton, Confirm, useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { StaleNote, useMergeForm } from '../../parts/commands/merge-form.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Switch } from '../../parts/field.tsx'
import { initialsOf } from '../../parts/initials.ts'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { type Answer, newKey } from '../../service/api.ts'

interface Props {
  readonly id: string
  /** Undefined until the list was read. */
  readonly used: Used | undefined
  readonly onChanged: () => void
}

const close = (): void => goTo('people')
const pathOf = (id: string, verb = ''): string => `/api/user/${encodeURIComponent(id)}${verb}`

export const Drawer = ({ id, used, onChanged }: Props) => {
  const page = usePage()
  const isAnswered = page.control.isAnswered.value
  const reading = useReading({
    ...{ key: `person ${id}`, ...ofUser(id) },
    read: async (source) => (await source.get(pathOf(id))) as Answer<User>,
  })
  const [isPassword, setPassword] = useState(false)
  const title = useRef<HTMLHeadingElement>(null)
  const user = reading.value?.value
  // Also where the button that did it has gone.
  useLayoutEffect(() => title.current?.focus(), [user === undefined, user?.removed_at, user?.erased_at])
  const isMe = id === meOf(page)._id
  const changed = (): void => {
    reading.retry()
    onChanged()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !isPassword && !(event.target as HTMLElement).closest('dialog')) close()
  }
  const buttons = isMe ? (
    <Button icon="key" label="Your account" href={linkTo('account')} />
  ) : (
    <Button icon="key" label="New password" disabled={!isAnswered} onClick={() => setPassword(true)} />
  )
  const content = (newest: Answer<User>) => {
    const user = newest.value
    if (user.removed_at !== undefined) return <Removed user={user} onChanged={changed} />
    return (
      <>
        <PersonForm newest={newest} applied={used?.quota ?? null} onSaved={changed}>
          {buttons}
        </PersonForm>
        {!isMe && (
          <>
            <TokenSection userId={user._id} role={user.role} isPart />
            <SessionSection
              look="quiet small"
              question={`Sign ${user.name} out of every browser?`}
              action="Sign out"
              back="Back"
              isPart
              end={() => page.api.send(pathOf(id, '/logout'))}
            />
            <Removal user={user} open={used?.reservations} onChanged={changed} />
          </>
        )}
        {isPassword && <PasswordDialog user={user} onClose={() => setPassword(false)} />}
      </>
    )
  }
  const name = user?.name ?? ''
  return (
    <aside class="drawer" aria-label={name === '' ? 'Person' : name} onKeyDown={onKeyDown}>
      <div class="row drawer-head">
        <span class={isMe ? 'avatar me' : 'avatar'} data-i={initialsOf(name)} aria-hidden="true" />
        <h2 class="grow clip" tabindex={-1} ref={title}>
          <bdi>{name}</bdi>
        </h2>
        <IconButton icon="x" label="Close (Esc)" look="quiet small" onClick={close} />
      </div>
      {reading.failed?.status === 404 && user === undefined ? (
        <StateBlock icon="user" title="This person does not exist" />
      ) : (
        <Loaded reading={reading} what="This person" skeleton={1}>
          {content}
        </Loaded>
      )}
    </aside>
  )
}

interface PersonFormProps {
  readonly newest: Answer<User>
  readonly applied: Quota | null
  readonly onSaved: () => void
  readonly children: ComponentChildren
}

/** Changes somebody's name, role, quota and scope. What others change shows at once, unless something is typed. */
const PersonForm = ({ newest, applied, onSaved, children }: PersonFormProps) => {
  const command = useCommand()
  const form = useMergeForm<Answer<User>, Values>({
    ...{ command, newest, first: newest, together: OF_QUOTA },
    valuesOf: (record) => (record === undefined ? EMPTY : valuesOf(record.value, applied)),
  })
  const { base = newest, saved, values, isStale, unplaced, change, load, settle } = form
  const [isSaved, setSaved] = useState(false)
  const changes = changesOf(values, saved)
  const isDirty = Object.keys(changes).length > 0
  const isReady = isDirty && !isStale && wrongLimits(values).length === 0
  const save = (event: Event): void => {
    event.preventDefault()
    if (!isReady || command.isOff) return
    const path = `/api/user/${encodeURIComponent(base.value._id)}/update` as const
    void command.send(path, { body: changes, ifMatch: base.etag }, (answer) => {
      settle(answer)
      setSaved(true)
      onSaved()
    })
  }
  return (
    <form class="stack fields" onSubmit={save} novalidate>
      {isStale && <StaleNote onLoad={load}>This person has changed meanwhile.</StaleNote>}
      <RefusedNote refused={unplaced} />
      <PersonFields
        id="person"
        values={values}
        base={saved}
        errors={command.errors}
        onChange={(next: Values) => {
          change(next)
          setSaved(false)
        }}
      />
      <div class="row wrap">
        <CommandButton label="Save" look="primary" command={command} disabled={!isReady} />
        {children}
        <span role="status" class="small ok">
          {isSaved && !isDirty && 'Saved'}
        </span>
      </div>
    </form>
  )
}

const PasswordDialog = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }) => {
  const command = useCommand()
  const {
    values: { password },
    change,
    text,
  } = useFields('new', { password: '' }, command.errors)
  const [areRevoked, setRevoked] = useState(false)
  const [isDone, setDone] = useState(false)
  const [isCopied, setCopied] = useState(false)
  const submit = () =>
    command.send(pathOf(user._id, '/password'), { body: { password, revoke_tokens: areRevoked } }, () => setDone(true))
  return (
    <Dialog
      title={`New password for ${user.name}`}
      command={command}
      action="Set password"
      isReady={password !== ''}
      onSubmit={submit}
      onClose={onClose}
      isDone={isDone}
      question={isDone && !isCopied ? UNKEPT : undefined}
    >
      {isDone ? (
        <Note kind="ok" action={<CopyButton text={password} isWide onCopied={() => setCopied(true)} />}>
          <div class="small">
            Password set, and all sessions ended. Give it to <bdi>{user.name}</bdi>.
          </div>
          <div class="mono secret">{password}</div>
        </Note>
      ) : (
        <>
          <div class="stack">
            {text('password', 'New password', {
              ...{ autofocus: true, autocomplete: 'new-password', maxlength: 1024 },
              hint: 'At least 8 characters. Ends all sessions.',
            })}
            <span>
              <Button
                {...{ label: 'Generate', look: 'quiet small', class: 'outdent' }}
                onClick={() => change({ password: newKey() })}
              />
            </span>
          </div>
          <Switch className="small second" label="Also revoke tokens" isOn={areRevoked} onChange={setRevoked} />
        </>
      )}
    </Dialog>
  )
}

interface LeavingProps {
  readonly user: User
  readonly onChanged: () => void
}

/** `open` are the reservations that are not over; undefined until they were counted. */
const Removal = ({ user, open, onChanged }: LeavingProps & { readonly open: number | undefined }) => {
  const command = useCommand()
  const [isAsking, setAsking] = useState(false)
  const remove = (reservations: 'cancel' | 'keep') => () =>
    command.send(pathOf(user._id, '/remove'), { body: { reservations } }, onChanged)
  const hasOpen = open !== undefined && open > 0
  return (
    <section class="part stack">
      <RefusedNote refused={command.refused} />
      {!isAsking && (
        <div>
          <Button
            look="danger"
            class="limited"
            disabled={command.isOff || open === undefined}
            onClick={() => setAsking(true)}
          >
            <span class="clip">
              Remove <bdi>{user.name.split(/\s/)[0]}</bdi>…
            </span>
          </Button>
        </div>
      )}
      {isAsking && open !== undefined && (
        <Confirm
          {...{ command, doing: 'Removing…', back: 'Back', onClose: () => setAsking(false) }}
          question={`Remove ${user.name}${hasOpen ? `, who has ${formatCount(open, 'open reservation')}` : ''}?`}
          action={hasOpen ? 'Cancel them' : 'Remove'}
          onConfirm={remove(hasOpen ? 'cancel' : 'keep')}
          also={hasOpen ? { action: 'Keep them', doing: 'Removing…', onConfirm: remove('keep') } : undefined}
        />
      )}
    </section>
  )
}

const Removed = ({ user, onChanged }: LeavingProps) => {
  const command = useCommand()
  const [isAsking, setAsking] = useState(false)
  const run = (verb: string) => () => command.send(pathOf(user._id, verb), undefined, onChanged)
  if (user.erased_at !== undefined)
    return <p class="second">Erased on {formatDate(Date.parse(user.erased_at))}. Histories show the id.</p>
  return (
    <div class="stack">
      <p class="second">
        Removed on {formatDate(Date.parse(user.removed_at ?? ''))}. Restored, the password is good again; tokens stay
        revoked.
      </p>
      <RefusedNote refused={command.refused} />
      {isAsking ? (
        <Confirm
          command={command}
          question={`Erase ${user.name} permanently? Histories will show the id.`}
          action="Erase"
          doing="Erasing…"
          onConfirm={run('/erase')}
          back="Back"
          onClose={() => setAsking(false)}
        />
      ) : (
        <div class="row wrap">
          <CommandButton icon="repeat" label="Restore" look="primary" command={command} onPress={run('/restore')} />
          <Button label="Erase…" look="danger" disabled={command.isOff} onClick={() => setAsking(true)} />
        </div>
      )}
    </div>
  )
}
