import type { Sut } from '../../../src/web/data/objects.ts'
import type { Known } from '../../../src/web/features/machines/machine-values.ts'

export const sut = (part: Partial<Sut> = {}): Sut => ({
  ...{ _id: 'a', name: 'bench 1', description: '', address: '10.0.0.1', port: 5900, sut_type: 'vnc', is_active: true },
  ...{ manufacturer: '', model: '', os: 'Ubuntu', version: '24.04', tags: { rack: '2' } },
  ...{ created_at: '2030-05-01T08:00:00Z', updated_at: '2030-05-01T08:00:00Z' },
  monitoring: { status: 'Online', status_description: 'SUT is online', last_updated: '2030-05-02T08:00:00Z' },
  ...part,
})

export const known = (part: Partial<Sut> = {}): Known => ({
  sut: sut(part),
  settings: {
    ...{ listen_port: 20_000, monitoring_interval: 60, has_password: true, has_user_name: false },
    ...{ rdp_width: null, rdp_height: null, turnaround: 900, release_unused_after: 0 },
  },
  etag: '"3.1"',
})
