/** A description, and an example: of an enumerated or boolean member the first value unless given. */
type Note = readonly [description: string, example?: unknown]

const ID = '6b01828c97de47e8464dc470'
const SUT = '6b01828c3298bbe6e6f520ab'
const USER = '6b01828b6e9e663bff2b20c9'
const TIME = '2030-05-02T05:58:11.400Z'
const MATCH = { os: 'windows', tags: { rack: ['3', '4'] } }
const ONE_OF = 'One of these, or this one.'

/**
 * What readers of events are told of the members, by name, or by the path from the data where a member lies deeper. What
 * begins with a type is of that type alone.
 */
const notes: Readonly<Record<string, Note>> = {
  _id: ['The id of what was recorded: of a SUT, reservation, series, request, session, user, token or webhook.', ID],
  sut_id: ['The SUT.', SUT],
  user_id: ['The holder of the reservation or request, or the user of the token.', USER],

  name: ['The name of the SUT.', 'bench 4'],
  description: ['What people should know of the SUT.', 'An old SUT'],
  address: ['The host name or IP address of the SUT.', '192.168.9.5'],
  port: ['The port of the SUT at its address.', 5900],
  sut_type: ['How the SUT is reached.'],
  is_active: ['Whether the SUT can be reserved.'],
  manufacturer: ['The manufacturer of the SUT.', 'acer'],
  model: ['The model of the SUT.', 'aspire'],
  os: ['The operating system of the SUT.', 'windows'],
  version: ['The version of the operating system.', 'xp'],
  rdp_height: ['The height of the screen over RDP, in pixels.', 1080],
  rdp_width: ['The width of the screen over RDP, in pixels.', 1920],
  turnaround: ['Seconds between two reservations.', 900],
  release_unused_after: ['Seconds after which a reservation nobody connected through is released; 0 is never.', 600],
  tags: ['Tags by name. In SutUpdated those that changed; null where one was removed.', { rack: '4' }],
  listen_port: ['The port on which the gateway forwards the SUT.', 20017],
  interval: ['Seconds between probes.', 60],
  cause: ['Why.'],
  credentials: ['That secrets were set. Their values are in no event.'],
  'credentials.id': ['A random id under which the vault has them.', ID],
  'credentials.changed': ['Which.', ['password']],

  start_time: ['The start of the window, in the offset in which it was asked for.', '2030-05-02T08:15:00+02:00'],
  end_time: ['The end of the window, in the offset in which it was asked for.', '2030-05-02T09:15:00+02:00'],
  counted: ['Quarter-hours that it counts for the quota of its holder; absent if those of its window.', 4],
  beyond_quota: ['Whether it does not count for the quota of its holder.'],
  keepalive: ['Seconds after which it is given up unless it is kept alive meanwhile.', 300],
  series_id: ['The series that the reservation belongs to.', ID],
  sut_request_id: ['The request that waited for the reservation.', ID],
  due: ['When it began or ended. Recorded later after a downtime.', TIME],
  rrule: ['The rule of the series, as in RFC 5545.', 'FREQ=WEEKLY;COUNT=10'],
  time_zone: ['The time zone on whose wall clock the series repeats.', 'Europe/Berlin'],
  count: ['The number of its reservations.', 10],

  match: ['The criteria of which any SUT was asked for.', MATCH],
  'match.sut_type': [`Its type. ${ONE_OF}`, 'vnc'],
  'match.manufacturer': [`Its manufacturer. ${ONE_OF}`, 'acer'],
  'match.model': [`Its model. ${ONE_OF}`, ['aspire', 'swift']],
  'match.os': [`Its operating system. ${ONE_OF}`, 'windows'],
  'match.version': [`The version of its operating system. ${ONE_OF}`, 'xp'],
  'match.name': [`Its name. ${ONE_OF}`, 'bench 4'],
  'match.tags': [
    'Its tags, by name: one of these values, or this one; null if it has no such tag.',
    { rack: ['3', '4'] },
  ],
  'match.not': ['Criteria of which none may hold.', { model: 'aspire' }],

  sut_reservation_id: ['The reservation that is offered or granted.', ID],
  duration: ['The length asked for, in seconds.', 3600],
  expires_at: ['When it is no longer valid, or waits no longer.', TIME],
  priority: ['Who goes first: the larger one.', 0],

  reservation_id: ['The reservation that was used.', ID],
  instance: ['The instance that forwarded the connections.', '0123456789abcdef'],
  opened_at: ['The beginning of the first connection.', TIME],
  closed_at: ['The end of the last connection.', TIME],
  connections: ['The number of connections.', 2],
  bytes_to_sut: ['Bytes passed on to the SUT.', 1024],
  bytes_from_sut: ['Bytes passed on to the client.', 65536],

  role: ['What the user or token may do.', 'tester'],
  quota: ['The limits of what the user may reserve; null for the default of the service.'],
  'quota.hours_per_week': ['Hours in an ISO week; null is no limit.', 40],
  'quota.reservations_max': ['Reservations that are not over; null is no limit.', 20],
  'quota.priority_max': ['The highest priority of requests; null is no limit.', 0],
  scope: ['The tags of the SUTs that the user sees; empty for all.', 'team=qa1'],
  reservations: ['What became of the reservations that were not over.'],
  token_scope: ['What the token is limited to, if to anything.', 'metrics'],
  hash: ['The SHA-256 of the token.', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  session_until: ['Until when the session that was ended would have lasted.', TIME],
  'TokenIssued.credentials.changed': ['The id of the token, whose name is in the vault.', [ID]],

  from: ['When it began.', TIME],
  to: ['When it ended.', TIME],
  refusals: [
    'What was refused, and how often: of one SUT, or by criteria.',
    [
      { code: 'reservation_conflict', count: 3, sut_id: SUT, user_id: USER },
      { code: 'no_sut_free', count: 1, match: MATCH, user_id: USER },
    ],
  ],
  'refusals.sut_id': ['The SUT; absent with match.', SUT],
  'refusals.match': ['The criteria of which any SUT was asked for; absent with sut_id.', MATCH],
  'refusals.user_id': ['For whom it would have been, or who asked.', USER],
  'refusals.code': ['The code of the refusal.', 'reservation_conflict'],
  'refusals.count': ['How often the same was refused.', 3],
  others: ['Refusals beyond those listed.', 12],

  filter: ['Which events are delivered: all, unless a member narrows them.'],
  'filter.types': ['Their types.', ['ReservationStarted']],
  'filter.sut_id': ['Their SUT.', SUT],
  'filter.user_id': ['Their user, or the holder of their reservation.', USER],
  'filter.match': ['Criteria that their SUT fits.', MATCH],
  position: ['A position in the log; -1 before the first event.', 41],
  failure: ['How the last attempt to deliver it failed.'],
  'failure.cause': ['Why.'],
  'failure.status': ['What the receiver answered.', 503],
  'WebhookCreated.description': ['What people should know of the webhook.', 'cleans machines'],
  'WebhookUpdated.description': ['What people should know of the webhook.', 'cleans machines'],
  'WebhookCreated.instance': ['The instance that delivers.', '0123456789abcdef'],
  'WebhookReplayed.instance': ['The instance that delivers.', '0123456789abcdef'],
  'WebhookAdvanced.instance': ['The instance that delivers.', '0123456789abcdef'],
  'WebhookCreated.credentials.changed': ['Which.', ['secret', 'url']],
  'WebhookUpdated.credentials.changed': ['Which.', ['url']],
  'WebhookSecretReplaced.credentials.changed': ['Which.', ['former_secret', 'secret']],

  'LogVersionSet.version': ['The version of the log from here on.', 6],
  verifier_key: ['The public key, as in C2SP signed-note.', 'berth+2ad5d6a7+AYqLQ5wq6vBhCQ=='],
  replaces: ['The key that it replaces.', 'berth+0c5f3f5e+AYqLQ5wq6vBhCQ=='],
  key: ['The id of the key.', 'k1'],
  secrets: ['The number of secrets that were given up with it.', 7],
  'ScheduleBegan.from': ['Starts and ends due from then on are recorded.', TIME],
}

/** What readers are told of a member of a type of event, by its path from the data. Criteria are alike everywhere. */
export const noteOn = (type: string, path: string): Note | undefined =>
  notes[`${type}.${path}`] ?? notes[path.replace(/^(?:refusals\.|filter\.)?match\.(?:not\.)?/, 'match.')]
