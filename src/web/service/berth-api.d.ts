// Made by test/http/documents/api-types.ts from /openapi.json.
export interface paths {
    readonly "/api/audit/checkpoint": {
        readonly get: {
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/plain; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/audit/consistency": {
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly from: number;
                    readonly to?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Consistency"];
                    };
                };
            };
        };
    };
    readonly "/api/audit/inclusion": {
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly event: string;
                    readonly size?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Inclusion"];
                    };
                };
            };
        };
    };
    readonly "/api/audit/key": {
        readonly get: {
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/plain; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/audit/leaves": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly from?: number;
                    readonly limit?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
    };
    readonly "/api/availability": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly after?: string;
                    readonly duration?: number;
                    readonly free_from?: string;
                    readonly free_to?: string;
                    readonly from?: string;
                    readonly is_active?: boolean;
                    readonly limit?: number;
                    readonly match?: string;
                    readonly monitoring?: "online" | "offline" | "disabled" | "unknown";
                    readonly name?: string;
                    readonly sut_type?: "vnc" | "rdp" | "tcp";
                    readonly tags?: {
                        readonly [key: string]: string;
                    };
                    readonly to?: string;
                    readonly user_id?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AvailabilityList"];
                    };
                };
            };
        };
    };
    readonly "/api/calendar.ics": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly free_from?: string;
                    readonly free_to?: string;
                    readonly is_active?: boolean;
                    readonly monitoring?: "online" | "offline" | "disabled" | "unknown";
                    readonly name?: string;
                    readonly sut_type?: "vnc" | "rdp" | "tcp";
                    readonly tags?: {
                        readonly [key: string]: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/calendar; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/changes": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly after?: string | "latest";
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/event-stream; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/console/{ticket}": {
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly ticket: string;
                };
            };
            readonly responses: never;
        };
    };
    readonly "/api/events": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly actor?: string;
                    readonly after?: string | "latest";
                    readonly before?: string;
                    readonly follow?: true;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly order?: "desc";
                    readonly sut_id?: string;
                    readonly to?: string;
                    readonly type?: readonly ("berth.SutCreated" | "berth.SutUpdated" | "berth.SutRetired" | "berth.SutCreationAbandoned" | "berth.SutMonitoringEnabled" | "berth.SutMonitoringDisabled" | "berth.SutWentOnline" | "berth.SutWentOffline" | "berth.ReservationCreated" | "berth.ReservationExtended" | "berth.ReservationShortened" | "berth.ReservationReleased" | "berth.ReservationCancelled" | "berth.ReservationBound" | "berth.ReservationUnbound" | "berth.ReservationKept" | "berth.ReservationStarted" | "berth.ReservationEnded" | "berth.MatchOffered" | "berth.ReservationOfferRefused" | "berth.ReservationRequested" | "berth.RequestOffered" | "berth.RequestOfferClosed" | "berth.RequestGranted" | "berth.RequestKept" | "berth.RequestWithdrawn" | "berth.RequestExpired" | "berth.RefusalsCounted" | "berth.ReservationSeriesCreated" | "berth.SessionOpened" | "berth.SessionClosed" | "berth.UserAdded" | "berth.UserChanged" | "berth.UserRemoved" | "berth.UserRestored" | "berth.UserErased" | "berth.TokenIssued" | "berth.TokenRevoked" | "berth.WebhookCreated" | "berth.WebhookUpdated" | "berth.WebhookSecretReplaced" | "berth.WebhookEnabled" | "berth.WebhookDisabled" | "berth.WebhookReplayed" | "berth.WebhookAdvanced" | "berth.WebhookRemoved" | "berth.ListenPortAssigned" | "berth.ListenPortReleased" | "berth.LogVersionSet" | "berth.AuditKeyReplaced" | "berth.VaultKeyForgotten" | "berth.ScheduleBegan" | "SutCreated" | "SutUpdated" | "SutRetired" | "SutCreationAbandoned" | "SutMonitoringEnabled" | "SutMonitoringDisabled" | "SutWentOnline" | "SutWentOffline" | "ReservationCreated" | "ReservationExtended" | "ReservationShortened" | "ReservationReleased" | "ReservationCancelled" | "ReservationBound" | "ReservationUnbound" | "ReservationKept" | "ReservationStarted" | "ReservationEnded" | "MatchOffered" | "ReservationOfferRefused" | "ReservationRequested" | "RequestOffered" | "RequestOfferClosed" | "RequestGranted" | "RequestKept" | "RequestWithdrawn" | "RequestExpired" | "RefusalsCounted" | "ReservationSeriesCreated" | "SessionOpened" | "SessionClosed" | "UserAdded" | "UserChanged" | "UserRemoved" | "UserRestored" | "UserErased" | "TokenIssued" | "TokenRevoked" | "WebhookCreated" | "WebhookUpdated" | "WebhookSecretReplaced" | "WebhookEnabled" | "WebhookDisabled" | "WebhookReplayed" | "WebhookAdvanced" | "WebhookRemoved" | "ListenPortAssigned" | "ListenPortReleased" | "LogVersionSet" | "AuditKeyReplaced" | "VaultKeyForgotten" | "ScheduleBegan")[];
                    readonly user_id?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["EventPage"];
                        readonly "application/x-ndjson": string;
                        readonly "text/event-stream; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/login": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        readonly password: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LoginSession"];
                    };
                };
            };
        };
    };
    readonly "/api/login/oidc/finish": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly code: string;
                        readonly iss?: string;
                        readonly state: string;
                        readonly transaction: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LoginSession"];
                    };
                };
            };
        };
    };
    readonly "/api/login/oidc/start": {
        readonly post: {
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SignOnStart"];
                    };
                };
            };
        };
    };
    readonly "/api/login/renew": {
        readonly post: {
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LoginSession"];
                    };
                };
            };
        };
    };
    readonly "/api/logout": {
        readonly post: {
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly everywhere?: boolean;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Logout"];
                    };
                };
            };
        };
    };
    readonly "/api/outages": {
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly from: string;
                    readonly sut_id: readonly string[];
                    readonly to: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OutagesList"];
                    };
                };
            };
        };
    };
    readonly "/api/report/demand": {
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly bucket?: "hour" | "day" | "week" | "month" | "none";
                    readonly by?: "user" | "none";
                    readonly from: string;
                    readonly time_zone?: string;
                    readonly to: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["DemandReport"];
                        readonly "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/report/usage": {
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly bucket?: "hour" | "day" | "week" | "month" | "none";
                    readonly by?: string;
                    readonly from: string;
                    readonly time_zone?: string;
                    readonly to: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["UsageReport"];
                        readonly "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/session": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly before?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly open?: true;
                    readonly reservation_id?: string;
                    readonly sut_id?: string;
                    readonly to?: string;
                    readonly user_id?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SessionList"];
                        readonly "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/sut": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly as_of?: string;
                    readonly before?: string;
                    readonly free_from?: string;
                    readonly free_to?: string;
                    readonly include?: string;
                    readonly is_active?: boolean;
                    readonly limit?: number;
                    readonly monitoring?: "online" | "offline" | "disabled" | "unknown";
                    readonly name?: string;
                    readonly offset?: number;
                    readonly retired?: true;
                    readonly sut_type?: "vnc" | "rdp" | "tcp";
                    readonly tags?: {
                        readonly [key: string]: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SutList"];
                        readonly "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/sut_request": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly before?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly status?: "waiting" | "granted" | "withdrawn" | "expired";
                    readonly sut_id?: string;
                    readonly user_id?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SutRequestList"];
                        readonly "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/sut_request/{id}": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly wait?: number;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SutRequestRead"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_request/{id}/keepalive": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SutRequest"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_request/{id}/withdraw": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SutRequest"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_request/create": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly duration: number;
                        readonly keepalive?: number;
                        readonly priority?: number;
                        readonly sut_id: string;
                        readonly user_id?: string;
                        readonly wait?: number;
                    } | {
                        readonly duration: number;
                        readonly keepalive?: number;
                        readonly match: {
                            readonly manufacturer?: (string | readonly string[]) | null;
                            readonly model?: (string | readonly string[]) | null;
                            readonly name?: string | readonly string[];
                            readonly not?: {
                                readonly manufacturer?: (string | readonly string[]) | null;
                                readonly model?: (string | readonly string[]) | null;
                                readonly name?: string | readonly string[];
                                readonly os?: (string | readonly string[]) | null;
                                readonly sut_type?: string | readonly string[];
                                readonly tags?: {
                                    readonly [key: string]: (string | readonly string[]) | null;
                                };
                                readonly version?: (string | readonly string[]) | null;
                            };
                            readonly os?: (string | readonly string[]) | null;
                            readonly sut_type?: string | readonly string[];
                            readonly tags?: {
                                readonly [key: string]: (string | readonly string[]) | null;
                            };
                            readonly version?: (string | readonly string[]) | null;
                        };
                        readonly priority?: number;
                        readonly user_id?: string;
                        readonly wait?: number;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["SutRequest"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly as_of?: string;
                    readonly before?: string;
                    readonly current?: true;
                    readonly from?: string;
                    readonly held_at?: string;
                    readonly held_from?: string;
                    readonly held_to?: string;
                    readonly include?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly sut_id?: readonly string[];
                    readonly to?: string;
                    readonly user_id?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ReservationList"];
                        readonly "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation_series": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly before?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly sut_id?: string;
                    readonly user_id?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SeriesList"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation_series/{id}": {
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Series"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation_series/{id}/cancel": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SeriesReservations"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation_series/create": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly beyond_quota?: boolean;
                        readonly end_time: string;
                        readonly rrule: string;
                        readonly start_time: string;
                        readonly sut_id: string;
                        readonly time_zone: string;
                        readonly user_id?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["SeriesReservations"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly as_of?: string;
                    readonly include?: string;
                    readonly wait?: number;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/cancel": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/connection": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly wait?: number;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Connection"];
                        readonly "application/x-rdp": string;
                        readonly "application/x-vnc": string;
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/console": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ConsoleTicket"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/extend": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly beyond_quota?: boolean;
                        readonly end_time: string;
                    } | {
                        readonly beyond_quota?: boolean;
                        readonly duration: number;
                    } | {
                        readonly beyond_quota?: boolean;
                        readonly by: number;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/history": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly after?: string | "latest";
                    readonly from?: string;
                    readonly include?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly to?: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["History"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/keepalive": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/shorten": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly end_time: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/{id}/update": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut_reservation/create": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly beyond_quota?: boolean;
                        readonly end_time: string;
                        readonly keepalive?: number;
                        readonly start_time: string;
                        readonly sut_id: string;
                        readonly user_id?: string;
                    } | {
                        readonly beyond_quota?: boolean;
                        readonly duration: number;
                        readonly keepalive?: number;
                        readonly start_in: number;
                        readonly sut_id: string;
                        readonly user_id?: string;
                    } | {
                        readonly beyond_quota?: boolean;
                        readonly end_time: string;
                        readonly keepalive?: number;
                        readonly match: {
                            readonly manufacturer?: (string | readonly string[]) | null;
                            readonly model?: (string | readonly string[]) | null;
                            readonly name?: string | readonly string[];
                            readonly not?: {
                                readonly manufacturer?: (string | readonly string[]) | null;
                                readonly model?: (string | readonly string[]) | null;
                                readonly name?: string | readonly string[];
                                readonly os?: (string | readonly string[]) | null;
                                readonly sut_type?: string | readonly string[];
                                readonly tags?: {
                                    readonly [key: string]: (string | readonly string[]) | null;
                                };
                                readonly version?: (string | readonly string[]) | null;
                            };
                            readonly os?: (string | readonly string[]) | null;
                            readonly sut_type?: string | readonly string[];
                            readonly tags?: {
                                readonly [key: string]: (string | readonly string[]) | null;
                            };
                            readonly version?: (string | readonly string[]) | null;
                        };
                        readonly start_time: string;
                        readonly user_id?: string;
                    } | {
                        readonly beyond_quota?: boolean;
                        readonly duration: number;
                        readonly keepalive?: number;
                        readonly match: {
                            readonly manufacturer?: (string | readonly string[]) | null;
                            readonly model?: (string | readonly string[]) | null;
                            readonly name?: string | readonly string[];
                            readonly not?: {
                                readonly manufacturer?: (string | readonly string[]) | null;
                                readonly model?: (string | readonly string[]) | null;
                                readonly name?: string | readonly string[];
                                readonly os?: (string | readonly string[]) | null;
                                readonly sut_type?: string | readonly string[];
                                readonly tags?: {
                                    readonly [key: string]: (string | readonly string[]) | null;
                                };
                                readonly version?: (string | readonly string[]) | null;
                            };
                            readonly os?: (string | readonly string[]) | null;
                            readonly sut_type?: string | readonly string[];
                            readonly tags?: {
                                readonly [key: string]: (string | readonly string[]) | null;
                            };
                            readonly version?: (string | readonly string[]) | null;
                        };
                        readonly start_in: number;
                        readonly user_id?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["Reservation"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly as_of?: string;
                    readonly include?: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Sut"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/availability": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly duration?: number;
                    readonly from?: string;
                    readonly to?: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Availability"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/calendar.ics": {
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/calendar; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/check": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Check"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/history": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly after?: string | "latest";
                    readonly from?: string;
                    readonly include?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly to?: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["History"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/monitoring": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly enabled: true;
                        readonly interval?: number;
                    } | {
                        readonly enabled: false;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Sut"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/outages": {
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly from: string;
                    readonly to: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Outages"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/retire": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Sut"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/tags": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: string | null;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Sut"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/{id}/update": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly address?: string;
                        readonly description?: string;
                        readonly is_active?: boolean;
                        readonly manufacturer?: string;
                        readonly model?: string;
                        readonly name?: string;
                        readonly os?: string;
                        readonly password?: string;
                        readonly port?: number;
                        readonly rdp_height?: number;
                        readonly rdp_width?: number;
                        readonly release_unused_after?: 0 | number;
                        readonly sut_type?: "vnc" | "rdp" | "tcp";
                        readonly turnaround?: number;
                        readonly user_name?: string;
                        readonly version?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Sut"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/create": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly address: string;
                        readonly description?: string;
                        readonly is_active?: boolean;
                        readonly manufacturer?: string;
                        readonly model?: string;
                        readonly name: string;
                        readonly os?: string;
                        readonly password?: string;
                        readonly port: number;
                        readonly rdp_height?: number;
                        readonly rdp_width?: number;
                        readonly release_unused_after?: 0 | number;
                        readonly sut_type: "vnc" | "rdp" | "tcp";
                        readonly tags?: {
                            readonly [key: string]: string;
                        };
                        readonly turnaround?: number;
                        readonly user_name?: string;
                        readonly version?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["Sut"];
                    };
                };
            };
        };
    };
    readonly "/api/sut/import": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly dry_run?: boolean;
                        readonly suts: readonly {
                            readonly address: string;
                            readonly description?: string;
                            readonly is_active?: boolean;
                            readonly manufacturer?: string;
                            readonly model?: string;
                            readonly name: string;
                            readonly os?: string;
                            readonly password?: string;
                            readonly port: number;
                            readonly rdp_height?: number;
                            readonly rdp_width?: number;
                            readonly release_unused_after?: 0 | number;
                            readonly sut_type: "vnc" | "rdp" | "tcp";
                            readonly tags?: {
                                readonly [key: string]: string;
                            };
                            readonly turnaround?: number;
                            readonly user_name?: string;
                            readonly version?: string;
                        }[];
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ImportedSuts"];
                    };
                };
            };
        };
    };
    readonly "/api/user": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly before?: string;
                    readonly include?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly removed?: true;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["UserList"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly include?: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"] | components["schemas"]["UserName"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/erase": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/history": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly after?: string | "latest";
                    readonly from?: string;
                    readonly include?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                    readonly to?: string;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["History"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/logout": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/password": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly password: string;
                        readonly revoke_tokens?: boolean;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/remove": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly reservations: "keep" | "cancel";
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["UserRemoval"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/restore": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/token": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly before?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                };
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["TokenList"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly expires_in?: number;
                        readonly name: string;
                        readonly role?: "administrator" | "tester" | "auditor";
                        readonly scope?: "metrics" | "calendar";
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["NewToken"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/token/{token}/revoke": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                    readonly token: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Token"];
                    };
                };
            };
        };
    };
    readonly "/api/user/{id}/update": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name?: string;
                        readonly quota?: {
                            readonly hours_per_week?: number | null;
                            readonly priority_max?: number | null;
                            readonly reservations_max?: number | null;
                        } | null;
                        readonly role?: "administrator" | "tester" | "auditor";
                        readonly scope?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/user/create": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly _id?: string;
                        readonly name: string;
                        readonly password?: string;
                        readonly quota?: {
                            readonly hours_per_week?: number | null;
                            readonly priority_max?: number | null;
                            readonly reservations_max?: number | null;
                        } | null;
                        readonly role: "administrator" | "tester" | "auditor";
                        readonly scope?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["NewUser"];
                    };
                };
            };
        };
    };
    readonly "/api/user/import": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly dry_run?: boolean;
                        readonly users: readonly {
                            readonly _id?: string;
                            readonly name: string;
                            readonly password?: string;
                            readonly quota?: {
                                readonly hours_per_week?: number | null;
                                readonly priority_max?: number | null;
                                readonly reservations_max?: number | null;
                            } | null;
                            readonly role: "administrator" | "tester" | "auditor";
                            readonly scope?: string;
                        }[];
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ImportedUsers"];
                    };
                };
            };
        };
    };
    readonly "/api/user/me": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly include?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/user/me/calendar.ics": {
        readonly get: {
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/calendar; charset=utf-8": string;
                    };
                };
            };
        };
    };
    readonly "/api/user/me/password": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly old_password: string;
                        readonly password: string;
                        readonly revoke_tokens?: boolean;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["User"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook": {
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly before?: string;
                    readonly limit?: number;
                    readonly offset?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookList"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}": {
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/deliveries": {
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["DeliveryList"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/enable": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/remove": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookRemoval"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/replay": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly after: (string | "latest") | null;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/secret": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["NewWebhook"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/test": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Delivery"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/{id}/update": {
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly description?: string;
                        readonly match?: {
                            readonly manufacturer?: (string | readonly string[]) | null;
                            readonly model?: (string | readonly string[]) | null;
                            readonly name?: string | readonly string[];
                            readonly not?: {
                                readonly manufacturer?: (string | readonly string[]) | null;
                                readonly model?: (string | readonly string[]) | null;
                                readonly name?: string | readonly string[];
                                readonly os?: (string | readonly string[]) | null;
                                readonly sut_type?: string | readonly string[];
                                readonly tags?: {
                                    readonly [key: string]: (string | readonly string[]) | null;
                                };
                                readonly version?: (string | readonly string[]) | null;
                            };
                            readonly os?: (string | readonly string[]) | null;
                            readonly sut_type?: string | readonly string[];
                            readonly tags?: {
                                readonly [key: string]: (string | readonly string[]) | null;
                            };
                            readonly version?: (string | readonly string[]) | null;
                        } | null;
                        readonly sut_id?: string | null;
                        readonly types?: readonly ("berth.SutCreated" | "berth.SutUpdated" | "berth.SutRetired" | "berth.SutCreationAbandoned" | "berth.SutMonitoringEnabled" | "berth.SutMonitoringDisabled" | "berth.SutWentOnline" | "berth.SutWentOffline" | "berth.ReservationCreated" | "berth.ReservationExtended" | "berth.ReservationShortened" | "berth.ReservationReleased" | "berth.ReservationCancelled" | "berth.ReservationBound" | "berth.ReservationUnbound" | "berth.ReservationKept" | "berth.ReservationStarted" | "berth.ReservationEnded" | "berth.MatchOffered" | "berth.ReservationOfferRefused" | "berth.ReservationRequested" | "berth.RequestOffered" | "berth.RequestOfferClosed" | "berth.RequestGranted" | "berth.RequestKept" | "berth.RequestWithdrawn" | "berth.RequestExpired" | "berth.RefusalsCounted" | "berth.ReservationSeriesCreated" | "berth.SessionOpened" | "berth.SessionClosed" | "berth.UserAdded" | "berth.UserChanged" | "berth.UserRemoved" | "berth.UserRestored" | "berth.UserErased" | "berth.TokenIssued" | "berth.TokenRevoked" | "berth.ListenPortAssigned" | "berth.ListenPortReleased" | "berth.LogVersionSet" | "berth.AuditKeyReplaced" | "berth.VaultKeyForgotten" | "berth.ScheduleBegan" | "SutCreated" | "SutUpdated" | "SutRetired" | "SutCreationAbandoned" | "SutMonitoringEnabled" | "SutMonitoringDisabled" | "SutWentOnline" | "SutWentOffline" | "ReservationCreated" | "ReservationExtended" | "ReservationShortened" | "ReservationReleased" | "ReservationCancelled" | "ReservationBound" | "ReservationUnbound" | "ReservationKept" | "ReservationStarted" | "ReservationEnded" | "MatchOffered" | "ReservationOfferRefused" | "ReservationRequested" | "RequestOffered" | "RequestOfferClosed" | "RequestGranted" | "RequestKept" | "RequestWithdrawn" | "RequestExpired" | "RefusalsCounted" | "ReservationSeriesCreated" | "SessionOpened" | "SessionClosed" | "UserAdded" | "UserChanged" | "UserRemoved" | "UserRestored" | "UserErased" | "TokenIssued" | "TokenRevoked" | "ListenPortAssigned" | "ListenPortReleased" | "LogVersionSet" | "AuditKeyReplaced" | "VaultKeyForgotten" | "ScheduleBegan")[] | null;
                        readonly url?: string;
                        readonly user_id?: string | null;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    readonly "/api/webhook/create": {
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly after?: (string | "latest") | null;
                        readonly description?: string;
                        readonly match?: {
                            readonly manufacturer?: (string | readonly string[]) | null;
                            readonly model?: (string | readonly string[]) | null;
                            readonly name?: string | readonly string[];
                            readonly not?: {
                                readonly manufacturer?: (string | readonly string[]) | null;
                                readonly model?: (string | readonly string[]) | null;
                                readonly name?: string | readonly string[];
                                readonly os?: (string | readonly string[]) | null;
                                readonly sut_type?: string | readonly string[];
                                readonly tags?: {
                                    readonly [key: string]: (string | readonly string[]) | null;
                                };
                                readonly version?: (string | readonly string[]) | null;
                            };
                            readonly os?: (string | readonly string[]) | null;
                            readonly sut_type?: string | readonly string[];
                            readonly tags?: {
                                readonly [key: string]: (string | readonly string[]) | null;
                            };
                            readonly version?: (string | readonly string[]) | null;
                        };
                        readonly sut_id?: string;
                        readonly types?: readonly ("berth.SutCreated" | "berth.SutUpdated" | "berth.SutRetired" | "berth.SutCreationAbandoned" | "berth.SutMonitoringEnabled" | "berth.SutMonitoringDisabled" | "berth.SutWentOnline" | "berth.SutWentOffline" | "berth.ReservationCreated" | "berth.ReservationExtended" | "berth.ReservationShortened" | "berth.ReservationReleased" | "berth.ReservationCancelled" | "berth.ReservationBound" | "berth.ReservationUnbound" | "berth.ReservationKept" | "berth.ReservationStarted" | "berth.ReservationEnded" | "berth.MatchOffered" | "berth.ReservationOfferRefused" | "berth.ReservationRequested" | "berth.RequestOffered" | "berth.RequestOfferClosed" | "berth.RequestGranted" | "berth.RequestKept" | "berth.RequestWithdrawn" | "berth.RequestExpired" | "berth.RefusalsCounted" | "berth.ReservationSeriesCreated" | "berth.SessionOpened" | "berth.SessionClosed" | "berth.UserAdded" | "berth.UserChanged" | "berth.UserRemoved" | "berth.UserRestored" | "berth.UserErased" | "berth.TokenIssued" | "berth.TokenRevoked" | "berth.ListenPortAssigned" | "berth.ListenPortReleased" | "berth.LogVersionSet" | "berth.AuditKeyReplaced" | "berth.VaultKeyForgotten" | "berth.ScheduleBegan" | "SutCreated" | "SutUpdated" | "SutRetired" | "SutCreationAbandoned" | "SutMonitoringEnabled" | "SutMonitoringDisabled" | "SutWentOnline" | "SutWentOffline" | "ReservationCreated" | "ReservationExtended" | "ReservationShortened" | "ReservationReleased" | "ReservationCancelled" | "ReservationBound" | "ReservationUnbound" | "ReservationKept" | "ReservationStarted" | "ReservationEnded" | "MatchOffered" | "ReservationOfferRefused" | "ReservationRequested" | "RequestOffered" | "RequestOfferClosed" | "RequestGranted" | "RequestKept" | "RequestWithdrawn" | "RequestExpired" | "RefusalsCounted" | "ReservationSeriesCreated" | "SessionOpened" | "SessionClosed" | "UserAdded" | "UserChanged" | "UserRemoved" | "UserRestored" | "UserErased" | "TokenIssued" | "TokenRevoked" | "ListenPortAssigned" | "ListenPortReleased" | "LogVersionSet" | "AuditKeyReplaced" | "VaultKeyForgotten" | "ScheduleBegan")[];
                        readonly url: string;
                        readonly user_id?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["NewWebhook"];
                    };
                };
            };
        };
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly AuditKeyReplacedData: {
            readonly replaces?: string;
            readonly verifier_key: string;
        };
        readonly Availability: {
            readonly free: readonly {
                readonly end_time: string;
                readonly start_time: string;
            }[];
            readonly next: string | null;
        };
        readonly AvailabilityList: {
            readonly limit: number;
            readonly next: string | null;
            readonly suts: readonly {
                readonly _id: string;
                readonly free: readonly {
                    readonly end_time: string;
                    readonly start_time: string;
                }[];
                readonly name: string;
                readonly next: string | null;
                readonly turnaround: readonly {
                    readonly end_time: string;
                    readonly start_time: string;
                }[];
            }[];
        };
        readonly Check: {
            readonly cause: ("no_password" | "refused" | "timed_out" | "unreachable" | "unknown_host" | "wrong_greeting" | "password_refused" | "locked_out" | "no_security_type" | "in_use" | "refused_by_server") | null;
            readonly milliseconds: number;
            readonly reachable: boolean;
        };
        readonly Connection: {
            readonly bound: boolean;
            readonly bound_here: boolean;
            readonly connections: number;
            readonly host: string | null;
            readonly last_error: {
                readonly cause: string;
                readonly reason?: string;
                readonly time: string;
            } | null;
            readonly open: boolean;
            readonly port: number;
            readonly released_unused_at: string | null;
            readonly sut_type: "vnc" | "rdp" | "tcp";
        };
        readonly Consistency: {
            readonly from: number;
            readonly hashes: readonly string[];
            readonly to: number;
        };
        readonly ConsoleTicket: {
            readonly expires_at: string;
            readonly url: string;
        };
        readonly Delivery: {
            readonly attempt: number;
            readonly attempted_at: string;
            readonly cause: ("status" | "timed_out" | "refused" | "reset" | "unreachable" | "unknown_host" | "tls" | "not_http" | "forbidden_address") | null;
            readonly event: string;
            readonly milliseconds: number;
            readonly position: string | null;
            readonly status: number | null;
            readonly type: string;
        };
        readonly DeliveryList: {
            readonly deliveries: readonly components["schemas"]["Delivery"][];
        };
        readonly DemandReport: {
            readonly from: string;
            readonly rows: readonly {
                readonly bucket: string | null;
                readonly expired: number;
                readonly granted: number;
                readonly key: string | null;
                readonly name: string | null;
                readonly refused: {
                    readonly [key: string]: number;
                };
                readonly requests: number;
                readonly waited_longest_seconds: number;
                readonly waited_seconds: number;
                readonly withdrawn: number;
            }[];
            readonly time_zone: string;
            readonly to: string;
        };
        readonly Document: Record<string, never>;
        readonly Event: {
            readonly actor: string;
            readonly actorrole: "administrator" | "tester" | "auditor" | "system";
            readonly client?: string;
            readonly datacontenttype: "application/json";
            readonly dataschema: string;
            readonly id: string;
            readonly reason?: string;
            readonly requestid: string;
            readonly revision: number;
            readonly sequence: string;
            readonly source: string;
            readonly specversion: "1.0";
            readonly stream: string;
            readonly subject: string;
            readonly time: string;
        } & ({
            readonly data: components["schemas"]["SutCreatedData"];
            readonly type: "berth.SutCreated";
        } | {
            readonly data: components["schemas"]["SutUpdatedData"];
            readonly type: "berth.SutUpdated";
        } | {
            readonly data: components["schemas"]["SutRetiredData"];
            readonly type: "berth.SutRetired";
        } | {
            readonly data: components["schemas"]["SutCreationAbandonedData"];
            readonly type: "berth.SutCreationAbandoned";
        } | {
            readonly data: components["schemas"]["SutMonitoringEnabledData"];
            readonly type: "berth.SutMonitoringEnabled";
        } | {
            readonly data: components["schemas"]["SutMonitoringDisabledData"];
            readonly type: "berth.SutMonitoringDisabled";
        } | {
            readonly data: components["schemas"]["SutWentOnlineData"];
            readonly type: "berth.SutWentOnline";
        } | {
            readonly data: components["schemas"]["SutWentOfflineData"];
            readonly type: "berth.SutWentOffline";
        } | {
            readonly data: components["schemas"]["ReservationCreatedData"];
            readonly type: "berth.ReservationCreated";
        } | {
            readonly data: components["schemas"]["ReservationExtendedData"];
            readonly type: "berth.ReservationExtended";
        } | {
            readonly data: components["schemas"]["ReservationShortenedData"];
            readonly type: "berth.ReservationShortened";
        } | {
            readonly data: components["schemas"]["ReservationReleasedData"];
            readonly type: "berth.ReservationReleased";
        } | {
            readonly data: components["schemas"]["ReservationCancelledData"];
            readonly type: "berth.ReservationCancelled";
        } | {
            readonly data: components["schemas"]["ReservationBoundData"];
            readonly type: "berth.ReservationBound";
        } | {
            readonly data: components["schemas"]["ReservationUnboundData"];
            readonly type: "berth.ReservationUnbound";
        } | {
            readonly data: components["schemas"]["ReservationKeptData"];
            readonly type: "berth.ReservationKept";
        } | {
            readonly data: components["schemas"]["ReservationStartedData"];
            readonly type: "berth.ReservationStarted";
        } | {
            readonly data: components["schemas"]["ReservationEndedData"];
            readonly type: "berth.ReservationEnded";
        } | {
            readonly data: components["schemas"]["MatchOfferedData"];
            readonly type: "berth.MatchOffered";
        } | {
            readonly data: components["schemas"]["ReservationOfferRefusedData"];
            readonly type: "berth.ReservationOfferRefused";
        } | {
            readonly data: components["schemas"]["ReservationRequestedData"];
            readonly type: "berth.ReservationRequested";
        } | {
            readonly data: components["schemas"]["RequestOfferedData"];
            readonly type: "berth.RequestOffered";
        } | {
            readonly data: components["schemas"]["RequestOfferClosedData"];
            readonly type: "berth.RequestOfferClosed";
        } | {
            readonly data: components["schemas"]["RequestGrantedData"];
            readonly type: "berth.RequestGranted";
        } | {
            readonly data: components["schemas"]["RequestKeptData"];
            readonly type: "berth.RequestKept";
        } | {
            readonly data: components["schemas"]["RequestWithdrawnData"];
            readonly type: "berth.RequestWithdrawn";
        } | {
            readonly data: components["schemas"]["RequestExpiredData"];
            readonly type: "berth.RequestExpired";
        } | {
            readonly data: components["schemas"]["RefusalsCountedData"];
            readonly type: "berth.RefusalsCounted";
        } | {
            readonly data: components["schemas"]["ReservationSeriesCreatedData"];
            readonly type: "berth.ReservationSeriesCreated";
        } | {
            readonly data: components["schemas"]["SessionOpenedData"];
            readonly type: "berth.SessionOpened";
        } | {
            readonly data: components["schemas"]["SessionClosedData"];
            readonly type: "berth.SessionClosed";
        } | {
            readonly data: components["schemas"]["UserAddedData"];
            readonly type: "berth.UserAdded";
        } | {
            readonly data: components["schemas"]["UserChangedData"];
            readonly type: "berth.UserChanged";
        } | {
            readonly data: components["schemas"]["UserRemovedData"];
            readonly type: "berth.UserRemoved";
        } | {
            readonly data: components["schemas"]["UserRestoredData"];
            readonly type: "berth.UserRestored";
        } | {
            readonly data: components["schemas"]["UserErasedData"];
            readonly type: "berth.UserErased";
        } | {
            readonly data: components["schemas"]["TokenIssuedData"];
            readonly type: "berth.TokenIssued";
        } | {
            readonly data: components["schemas"]["TokenRevokedData"];
            readonly type: "berth.TokenRevoked";
        } | {
            readonly data: components["schemas"]["WebhookCreatedData"];
            readonly type: "berth.WebhookCreated";
        } | {
            readonly data: components["schemas"]["WebhookUpdatedData"];
            readonly type: "berth.WebhookUpdated";
        } | {
            readonly data: components["schemas"]["WebhookSecretReplacedData"];
            readonly type: "berth.WebhookSecretReplaced";
        } | {
            readonly data: components["schemas"]["WebhookEnabledData"];
            readonly type: "berth.WebhookEnabled";
        } | {
            readonly data: components["schemas"]["WebhookDisabledData"];
            readonly type: "berth.WebhookDisabled";
        } | {
            readonly data: components["schemas"]["WebhookReplayedData"];
            readonly type: "berth.WebhookReplayed";
        } | {
            readonly data: components["schemas"]["WebhookAdvancedData"];
            readonly type: "berth.WebhookAdvanced";
        } | {
            readonly data: components["schemas"]["WebhookRemovedData"];
            readonly type: "berth.WebhookRemoved";
        } | {
            readonly data: components["schemas"]["ListenPortAssignedData"];
            readonly type: "berth.ListenPortAssigned";
        } | {
            readonly data: components["schemas"]["ListenPortReleasedData"];
            readonly type: "berth.ListenPortReleased";
        } | {
            readonly data: components["schemas"]["LogVersionSetData"];
            readonly type: "berth.LogVersionSet";
        } | {
            readonly data: components["schemas"]["AuditKeyReplacedData"];
            readonly type: "berth.AuditKeyReplaced";
        } | {
            readonly data: components["schemas"]["VaultKeyForgottenData"];
            readonly type: "berth.VaultKeyForgotten";
        } | {
            readonly data: components["schemas"]["ScheduleBeganData"];
            readonly type: "berth.ScheduleBegan";
        });
        readonly EventPage: {
            readonly caught_up: boolean;
            readonly events: readonly components["schemas"]["Event"][];
            readonly next: string | null;
        };
        readonly Health: {
            readonly detail?: string;
            readonly status: "live" | "ready";
        };
        readonly History: {
            readonly count: number;
            readonly events: readonly components["schemas"]["HistoryEvent"][];
            readonly limit: number;
            readonly offset?: number;
        };
        readonly HistoryEvent: {
            readonly actor: string;
            readonly actorname?: string;
            readonly actorrole: "administrator" | "tester" | "auditor" | "system";
            readonly changes: readonly ({
                readonly from: string | number | boolean | Record<string, never> | null;
                readonly path: string;
                readonly to: string | number | boolean | Record<string, never> | null;
            } | {
                readonly changed: true;
                readonly path: string;
            })[];
            readonly client?: string;
            readonly datacontenttype: "application/json";
            readonly dataschema: string;
            readonly id: string;
            readonly reason?: string;
            readonly requestid: string;
            readonly revision?: number;
            readonly sequence: string;
            readonly source: string;
            readonly specversion: "1.0";
            readonly stream: string;
            readonly subject: string;
            readonly sutname?: string;
            readonly time: string;
            readonly username?: string;
        } & ({
            readonly data: components["schemas"]["SutCreatedData"];
            readonly type: "berth.SutCreated";
        } | {
            readonly data: components["schemas"]["SutUpdatedData"];
            readonly type: "berth.SutUpdated";
        } | {
            readonly data: components["schemas"]["SutRetiredData"];
            readonly type: "berth.SutRetired";
        } | {
            readonly data: components["schemas"]["SutCreationAbandonedData"];
            readonly type: "berth.SutCreationAbandoned";
        } | {
            readonly data: components["schemas"]["SutMonitoringEnabledData"];
            readonly type: "berth.SutMonitoringEnabled";
        } | {
            readonly data: components["schemas"]["SutMonitoringDisabledData"];
            readonly type: "berth.SutMonitoringDisabled";
        } | {
            readonly data: components["schemas"]["SutWentOnlineData"];
            readonly type: "berth.SutWentOnline";
        } | {
            readonly data: components["schemas"]["SutWentOfflineData"];
            readonly type: "berth.SutWentOffline";
        } | {
            readonly data: components["schemas"]["ReservationCreatedData"];
            readonly type: "berth.ReservationCreated";
        } | {
            readonly data: components["schemas"]["ReservationExtendedData"];
            readonly type: "berth.ReservationExtended";
        } | {
            readonly data: components["schemas"]["ReservationShortenedData"];
            readonly type: "berth.ReservationShortened";
        } | {
            readonly data: components["schemas"]["ReservationReleasedData"];
            readonly type: "berth.ReservationReleased";
        } | {
            readonly data: components["schemas"]["ReservationCancelledData"];
            readonly type: "berth.ReservationCancelled";
        } | {
            readonly data: components["schemas"]["ReservationBoundData"];
            readonly type: "berth.ReservationBound";
        } | {
            readonly data: components["schemas"]["ReservationUnboundData"];
            readonly type: "berth.ReservationUnbound";
        } | {
            readonly data: components["schemas"]["ReservationKeptData"];
            readonly type: "berth.ReservationKept";
        } | {
            readonly data: components["schemas"]["ReservationStartedData"];
            readonly type: "berth.ReservationStarted";
        } | {
            readonly data: components["schemas"]["ReservationEndedData"];
            readonly type: "berth.ReservationEnded";
        } | {
            readonly data: components["schemas"]["MatchOfferedData"];
            readonly type: "berth.MatchOffered";
        } | {
            readonly data: components["schemas"]["ReservationOfferRefusedData"];
            readonly type: "berth.ReservationOfferRefused";
        } | {
            readonly data: components["schemas"]["ReservationRequestedData"];
            readonly type: "berth.ReservationRequested";
        } | {
            readonly data: components["schemas"]["RequestOfferedData"];
            readonly type: "berth.RequestOffered";
        } | {
            readonly data: components["schemas"]["RequestOfferClosedData"];
            readonly type: "berth.RequestOfferClosed";
        } | {
            readonly data: components["schemas"]["RequestGrantedData"];
            readonly type: "berth.RequestGranted";
        } | {
            readonly data: components["schemas"]["RequestKeptData"];
            readonly type: "berth.RequestKept";
        } | {
            readonly data: components["schemas"]["RequestWithdrawnData"];
            readonly type: "berth.RequestWithdrawn";
        } | {
            readonly data: components["schemas"]["RequestExpiredData"];
            readonly type: "berth.RequestExpired";
        } | {
            readonly data: components["schemas"]["RefusalsCountedData"];
            readonly type: "berth.RefusalsCounted";
        } | {
            readonly data: components["schemas"]["ReservationSeriesCreatedData"];
            readonly type: "berth.ReservationSeriesCreated";
        } | {
            readonly data: components["schemas"]["SessionOpenedData"];
            readonly type: "berth.SessionOpened";
        } | {
            readonly data: components["schemas"]["SessionClosedData"];
            readonly type: "berth.SessionClosed";
        } | {
            readonly data: components["schemas"]["UserAddedData"];
            readonly type: "berth.UserAdded";
        } | {
            readonly data: components["schemas"]["UserChangedData"];
            readonly type: "berth.UserChanged";
        } | {
            readonly data: components["schemas"]["UserRemovedData"];
            readonly type: "berth.UserRemoved";
        } | {
            readonly data: components["schemas"]["UserRestoredData"];
            readonly type: "berth.UserRestored";
        } | {
            readonly data: components["schemas"]["UserErasedData"];
            readonly type: "berth.UserErased";
        } | {
            readonly data: components["schemas"]["TokenIssuedData"];
            readonly type: "berth.TokenIssued";
        } | {
            readonly data: components["schemas"]["TokenRevokedData"];
            readonly type: "berth.TokenRevoked";
        } | {
            readonly data: components["schemas"]["WebhookCreatedData"];
            readonly type: "berth.WebhookCreated";
        } | {
            readonly data: components["schemas"]["WebhookUpdatedData"];
            readonly type: "berth.WebhookUpdated";
        } | {
            readonly data: components["schemas"]["WebhookSecretReplacedData"];
            readonly type: "berth.WebhookSecretReplaced";
        } | {
            readonly data: components["schemas"]["WebhookEnabledData"];
            readonly type: "berth.WebhookEnabled";
        } | {
            readonly data: components["schemas"]["WebhookDisabledData"];
            readonly type: "berth.WebhookDisabled";
        } | {
            readonly data: components["schemas"]["WebhookReplayedData"];
            readonly type: "berth.WebhookReplayed";
        } | {
            readonly data: components["schemas"]["WebhookAdvancedData"];
            readonly type: "berth.WebhookAdvanced";
        } | {
            readonly data: components["schemas"]["WebhookRemovedData"];
            readonly type: "berth.WebhookRemoved";
        } | {
            readonly data: components["schemas"]["ListenPortAssignedData"];
            readonly type: "berth.ListenPortAssigned";
        } | {
            readonly data: components["schemas"]["ListenPortReleasedData"];
            readonly type: "berth.ListenPortReleased";
        } | {
            readonly data: components["schemas"]["LogVersionSetData"];
            readonly type: "berth.LogVersionSet";
        } | {
            readonly data: components["schemas"]["AuditKeyReplacedData"];
            readonly type: "berth.AuditKeyReplaced";
        } | {
            readonly data: components["schemas"]["VaultKeyForgottenData"];
            readonly type: "berth.VaultKeyForgotten";
        } | {
            readonly data: components["schemas"]["ScheduleBeganData"];
            readonly type: "berth.ScheduleBegan";
        });
        readonly ImportedSuts: {
            readonly count: number;
            readonly suts?: readonly components["schemas"]["Sut"][];
        };
        readonly ImportedUsers: {
            readonly count: number;
            readonly users?: readonly components["schemas"]["NewUser"][];
        };
        readonly Inclusion: {
            readonly hashes: readonly string[];
            readonly leaf: string;
            readonly leaf_hash: string;
            readonly leaf_index: number;
            readonly tree_size: number;
        };
        readonly ListenPortAssignedData: {
            readonly listen_port: number;
            readonly sut_id: string;
        };
        readonly ListenPortReleasedData: {
            readonly listen_port: number;
            readonly sut_id: string;
        };
        readonly LoginSession: {
            readonly _id: string;
            readonly expires_at: string;
            readonly name: string;
            readonly role: "administrator" | "tester" | "auditor";
            readonly session: string;
        };
        readonly Logout: {
            readonly everywhere: boolean;
        };
        readonly LogVersionSetData: {
            readonly version: number;
        };
        readonly MatchOfferedData: {
            readonly _id: string;
            readonly end_time: string;
            readonly start_time: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly NewToken: {
            readonly _id: string;
            readonly created_at: string;
            readonly expires_at: string | null;
            readonly name: string;
            readonly role: "administrator" | "tester" | "auditor";
            readonly scope?: "metrics" | "calendar";
            readonly token?: string;
        };
        readonly NewUser: {
            readonly _id: string;
            readonly created_at: string;
            readonly name: string;
            readonly password?: string;
            readonly quota: {
                readonly hours_per_week: number | null;
                readonly priority_max: number | null;
                readonly reservations_max: number | null;
            } | null;
            readonly role: "administrator" | "tester" | "auditor";
            readonly scope: string;
            readonly updated_at: string;
        };
        readonly NewWebhook: {
            readonly _id: string;
            readonly created_at: string;
            readonly description: string;
            readonly enabled: boolean;
            readonly former_until?: string | null;
            readonly lag: number;
            readonly last_failure: {
                readonly at: string;
                readonly cause: "status" | "timed_out" | "refused" | "reset" | "unreachable" | "unknown_host" | "tls" | "not_http" | "forbidden_address";
                readonly status: number | null;
            } | null;
            readonly match: {
                readonly manufacturer?: (string | readonly string[]) | null;
                readonly model?: (string | readonly string[]) | null;
                readonly name?: string | readonly string[];
                readonly not?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly os?: (string | readonly string[]) | null;
                readonly sut_type?: string | readonly string[];
                readonly tags?: {
                    readonly [key: string]: (string | readonly string[]) | null;
                };
                readonly version?: (string | readonly string[]) | null;
            } | null;
            readonly position: string | null;
            readonly secret?: string;
            readonly sut_id: string | null;
            readonly types: readonly string[] | null;
            readonly updated_at: string;
            readonly user_id: string | null;
        };
        readonly Outages: {
            readonly outages: readonly {
                readonly cause: "refused" | "timed_out" | "unreachable" | "unknown_host" | "wrong_greeting" | "password_refused" | "locked_out" | "no_security_type" | "in_use" | "refused_by_server";
                readonly from: string;
                readonly to: string | null;
            }[];
            readonly unknown: readonly {
                readonly from: string;
                readonly to: string;
            }[];
        };
        readonly OutagesList: {
            readonly suts: readonly {
                readonly outages: readonly {
                    readonly cause: "refused" | "timed_out" | "unreachable" | "unknown_host" | "wrong_greeting" | "password_refused" | "locked_out" | "no_security_type" | "in_use" | "refused_by_server";
                    readonly from: string;
                    readonly to: string | null;
                }[];
                readonly sut_id: string;
                readonly unknown: readonly {
                    readonly from: string;
                    readonly to: string;
                }[];
            }[];
        };
        readonly Problem: {
            readonly by?: string | null;
            readonly cause?: "ended" | "released" | "keepalive" | "unused" | "cancelled";
            readonly code: "malformed_request" | "malformed_json" | "unauthenticated" | "cross_site" | "ticket_invalid" | "sign_in_failed" | "no_role" | "forbidden" | "not_your_reservation" | "not_your_request" | "priority_too_high" | "quota_exceeded" | "wrong_password" | "not_found" | "oidc_not_configured" | "event_not_found" | "sut_not_found" | "reservation_not_found" | "series_not_found" | "request_not_found" | "user_not_found" | "token_not_found" | "webhook_not_found" | "method_not_allowed" | "not_acceptable" | "user_name_taken" | "user_id_taken" | "too_many_tokens" | "too_many_webhooks" | "last_administrator" | "user_not_removed" | "user_erased" | "no_sut_free" | "reservation_conflict" | "too_many_requests" | "request_granted" | "request_over" | "sut_inactive" | "sut_reserved" | "reservation_over" | "reservation_not_running" | "not_kept_alive" | "not_vnc" | "not_forwarded" | "idempotency_in_progress" | "sut_retired" | "reservation_cancelled" | "user_removed" | "stale" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "invalid" | "field_unknown" | "field_read_only" | "sut_required" | "sut_ambiguous" | "no_sut_matches" | "window_required" | "window_ambiguous" | "window_empty" | "window_over" | "window_too_long" | "window_too_far" | "window_in_the_past" | "end_not_later" | "series_start_mismatch" | "series_too_long" | "series_too_short" | "series_overlaps" | "end_not_later_than_now" | "end_not_earlier" | "list_too_large" | "report_too_large" | "idempotency_key_reused" | "upgrade_required" | "too_many_attempts" | "too_many_checks" | "too_many_subscribers" | "internal" | "not_implemented" | "provider_unavailable" | "gateway_full" | "unavailable" | "store_full" | "outcome_unknown" | "listen_ports_exhausted" | "position_not_reached" | "clock_behind" | "clock_ahead";
            readonly conflicts?: readonly {
                readonly _id: string;
                readonly end_time: string;
                readonly occurrence?: string;
                readonly start_time: string;
                readonly turnaround?: true;
                readonly user_id: string;
                readonly user_name: string;
            }[];
            readonly detail: string;
            readonly errors?: readonly ({
                readonly detail: string;
                readonly pointer: string;
            } | {
                readonly detail: string;
                readonly parameter: string;
            } | {
                readonly detail: string;
                readonly header: string;
            })[];
            readonly errors_count?: number;
            readonly extendable_until?: string | null;
            readonly free_until?: string | null;
            readonly instance: string;
            readonly longest?: {
                readonly end_time: string;
                readonly start_time: string;
                readonly sut_id: string;
            } | null;
            readonly matching?: number;
            readonly next_available?: {
                readonly end_time: string;
                readonly start_time: string;
            } | {
                readonly end_time: string;
                readonly start_time: string;
                readonly sut_id: string;
            } | null;
            readonly parts?: {
                readonly [key: string]: string;
            };
            readonly quota?: {
                readonly hours_per_week: number | null;
                readonly priority_max: number | null;
                readonly reservations_max: number | null;
            };
            readonly status: number;
            readonly sut_reservation_id?: string;
            readonly title: string;
            readonly type: string;
            readonly used?: {
                readonly hours: number;
                readonly reservations: number;
            };
            readonly week?: string | null;
        };
        readonly RefusalsCountedData: {
            readonly from: string;
            readonly others?: number;
            readonly refusals: readonly {
                readonly code: string;
                readonly count: number;
                readonly match?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly not?: {
                        readonly manufacturer?: (string | readonly string[]) | null;
                        readonly model?: (string | readonly string[]) | null;
                        readonly name?: string | readonly string[];
                        readonly os?: (string | readonly string[]) | null;
                        readonly sut_type?: string | readonly string[];
                        readonly tags?: {
                            readonly [key: string]: (string | readonly string[]) | null;
                        };
                        readonly version?: (string | readonly string[]) | null;
                    };
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly sut_id?: string;
                readonly user_id: string;
            }[];
            readonly to: string;
        };
        readonly RequestExpiredData: {
            readonly _id: string;
            readonly cause?: "keepalive" | "retired";
            readonly user_id: string;
        };
        readonly RequestGrantedData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly sut_reservation_id: string;
            readonly user_id: string;
        };
        readonly RequestKeptData: {
            readonly _id: string;
            readonly user_id: string;
        };
        readonly RequestOfferClosedData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly sut_reservation_id: string;
            readonly user_id: string;
        };
        readonly RequestOfferedData: {
            readonly _id: string;
            readonly end_time: string;
            readonly start_time: string;
            readonly sut_id: string;
            readonly sut_reservation_id: string;
            readonly user_id: string;
        };
        readonly RequestWithdrawnData: {
            readonly _id: string;
            readonly user_id: string;
        };
        readonly Reservation: {
            readonly _id: string;
            readonly created_at: string;
            readonly end_time: string;
            readonly listen_port: number;
            readonly planned_end_time?: string;
            readonly series_id?: string | null;
            readonly start_time: string;
            readonly state?: "ahead" | "running" | "over" | "released" | "cancelled";
            readonly sut_id: string;
            readonly sut_name?: string | null;
            readonly updated_at: string;
            readonly user_id: string;
            readonly user_name?: string;
        };
        readonly ReservationBoundData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationCancelledData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationCreatedData: {
            readonly _id: string;
            readonly beyond_quota?: boolean;
            readonly counted?: number;
            readonly end_time: string;
            readonly keepalive?: number;
            readonly listen_port: number;
            readonly match?: {
                readonly manufacturer?: (string | readonly string[]) | null;
                readonly model?: (string | readonly string[]) | null;
                readonly name?: string | readonly string[];
                readonly not?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly os?: (string | readonly string[]) | null;
                readonly sut_type?: string | readonly string[];
                readonly tags?: {
                    readonly [key: string]: (string | readonly string[]) | null;
                };
                readonly version?: (string | readonly string[]) | null;
            };
            readonly series_id?: string;
            readonly start_time: string;
            readonly sut_id: string;
            readonly sut_request_id?: string;
            readonly user_id: string;
        };
        readonly ReservationEndedData: {
            readonly _id: string;
            readonly due: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationExtendedData: {
            readonly _id: string;
            readonly beyond_quota?: boolean;
            readonly end_time: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationKeptData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly sut_reservations: readonly components["schemas"]["Reservation"][];
        };
        readonly ReservationOfferRefusedData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationReleasedData: {
            readonly _id: string;
            readonly cause?: "keepalive" | "unused";
            readonly end_time: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationRequestedData: {
            readonly _id: string;
            readonly beyond_quota?: boolean;
            readonly duration: number;
            readonly expires_at: string;
            readonly keepalive?: number;
            readonly match?: {
                readonly manufacturer?: (string | readonly string[]) | null;
                readonly model?: (string | readonly string[]) | null;
                readonly name?: string | readonly string[];
                readonly not?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly os?: (string | readonly string[]) | null;
                readonly sut_type?: string | readonly string[];
                readonly tags?: {
                    readonly [key: string]: (string | readonly string[]) | null;
                };
                readonly version?: (string | readonly string[]) | null;
            };
            readonly priority: number;
            readonly start_time?: string;
            readonly sut_id?: string;
            readonly user_id: string;
        };
        readonly ReservationSeriesCreatedData: {
            readonly _id: string;
            readonly count: number;
            readonly end_time: string;
            readonly rrule: string;
            readonly start_time: string;
            readonly sut_id: string;
            readonly time_zone: string;
            readonly user_id: string;
        };
        readonly ReservationShortenedData: {
            readonly _id: string;
            readonly end_time: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationStartedData: {
            readonly _id: string;
            readonly due: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ReservationUnboundData: {
            readonly _id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly ScheduleBeganData: {
            readonly from: string;
        };
        readonly SchemaIndex: {
            readonly schemas: readonly {
                readonly href: string;
                readonly type: string;
                readonly urn: string;
                readonly version: number;
            }[];
        };
        readonly Series: {
            readonly _id: string;
            readonly count: number;
            readonly created_at: string;
            readonly end_time: string;
            readonly rrule: string;
            readonly start_time: string;
            readonly sut_id: string;
            readonly sut_reservations: readonly components["schemas"]["Reservation"][];
            readonly time_zone: string;
            readonly user_id: string;
        };
        readonly SeriesList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly sut_reservation_series: readonly {
                readonly _id: string;
                readonly count: number;
                readonly created_at: string;
                readonly end_time: string;
                readonly rrule: string;
                readonly start_time: string;
                readonly sut_id: string;
                readonly time_zone: string;
                readonly user_id: string;
            }[];
        };
        readonly SeriesReservations: {
            readonly series_id: string;
            readonly sut_reservations: readonly components["schemas"]["Reservation"][];
        };
        readonly Session: {
            readonly _id: string;
            readonly bytes_from_sut: number | null;
            readonly bytes_to_sut: number | null;
            readonly cause: ("client" | "sut" | "over" | "released" | "barred" | "stopped" | "lost") | null;
            readonly closed_at: string | null;
            readonly connections: number | null;
            readonly instance: string;
            readonly opened_at: string;
            readonly reservation_id: string;
            readonly sut_id: string;
            readonly user_id: string;
            readonly user_name: string;
        };
        readonly SessionClosedData: {
            readonly _id: string;
            readonly bytes_from_sut: number;
            readonly bytes_to_sut: number;
            readonly cause: "client" | "sut" | "over" | "released" | "barred" | "stopped" | "lost";
            readonly closed_at: string;
            readonly connections: number;
            readonly instance: string;
            readonly opened_at: string;
            readonly reservation_id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly SessionList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly sessions: readonly components["schemas"]["Session"][];
        };
        readonly SessionOpenedData: {
            readonly _id: string;
            readonly instance: string;
            readonly opened_at: string;
            readonly reservation_id: string;
            readonly sut_id: string;
            readonly user_id: string;
        };
        readonly SignOnStart: {
            readonly transaction: string;
            readonly url: string;
        };
        readonly Sut: {
            readonly _id: string;
            readonly address: string;
            readonly created_at: string;
            readonly description: string;
            readonly is_active: boolean;
            readonly manufacturer: string;
            readonly model: string;
            readonly monitoring: {
                readonly last_updated: string;
                readonly status: "Online" | "Offline" | "SUT Monitoring Disabled" | "Unknown";
                readonly status_description: string;
            };
            readonly name: string;
            readonly os: string;
            readonly port: number;
            readonly settings?: components["schemas"]["SutSettings"];
            readonly sut_type: "vnc" | "rdp" | "tcp";
            readonly tags: {
                readonly [key: string]: string;
            };
            readonly updated_at: string;
            readonly version: string;
        };
        readonly SutCreatedData: {
            readonly _id: string;
            readonly address: string;
            readonly credentials?: {
                readonly changed: readonly ("password" | "user_name")[];
                readonly id: string;
            };
            readonly description: string;
            readonly is_active: boolean;
            readonly listen_port: number;
            readonly manufacturer: string;
            readonly model: string;
            readonly name: string;
            readonly os: string;
            readonly port: number;
            readonly rdp_height?: number;
            readonly rdp_width?: number;
            readonly release_unused_after?: 0 | number;
            readonly sut_type: "vnc" | "rdp" | "tcp";
            readonly tags?: {
                readonly [key: string]: string;
            };
            readonly turnaround?: number;
            readonly version: string;
        };
        readonly SutCreationAbandonedData: {
            readonly _id: string;
            readonly listen_port: number;
        };
        readonly SutList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly suts: readonly components["schemas"]["Sut"][];
        };
        readonly SutMonitoringDisabledData: {
            readonly _id: string;
        };
        readonly SutMonitoringEnabledData: {
            readonly _id: string;
            readonly interval: number;
        };
        readonly SutRequest: {
            readonly _id: string;
            readonly cause?: "keepalive" | "retired";
            readonly created_at: string;
            readonly duration: number;
            readonly expires_at: string;
            readonly keepalive: number | null;
            readonly match?: {
                readonly manufacturer?: (string | readonly string[]) | null;
                readonly model?: (string | readonly string[]) | null;
                readonly name?: string | readonly string[];
                readonly not?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly os?: (string | readonly string[]) | null;
                readonly sut_type?: string | readonly string[];
                readonly tags?: {
                    readonly [key: string]: (string | readonly string[]) | null;
                };
                readonly version?: (string | readonly string[]) | null;
            };
            readonly priority: number;
            readonly status: "waiting" | "granted" | "withdrawn" | "expired";
            readonly sut_id?: string;
            readonly sut_reservation_id: string | null;
            readonly updated_at: string;
            readonly user_id: string;
            readonly user_name: string;
        };
        readonly SutRequestList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly sut_requests: readonly {
                readonly _id: string;
                readonly cause?: "keepalive" | "retired";
                readonly created_at: string;
                readonly duration: number;
                readonly expires_at: string;
                readonly keepalive: number | null;
                readonly match?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly not?: {
                        readonly manufacturer?: (string | readonly string[]) | null;
                        readonly model?: (string | readonly string[]) | null;
                        readonly name?: string | readonly string[];
                        readonly os?: (string | readonly string[]) | null;
                        readonly sut_type?: string | readonly string[];
                        readonly tags?: {
                            readonly [key: string]: (string | readonly string[]) | null;
                        };
                        readonly version?: (string | readonly string[]) | null;
                    };
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly passed_over?: boolean;
                readonly priority: number;
                readonly status: "waiting" | "granted" | "withdrawn" | "expired";
                readonly sut_id?: string;
                readonly sut_reservation_id: string | null;
                readonly updated_at: string;
                readonly user_id: string;
                readonly user_name: string;
            }[];
        };
        readonly SutRequestRead: {
            readonly _id: string;
            readonly cause?: "keepalive" | "retired";
            readonly created_at: string;
            readonly duration: number;
            readonly expected_at?: string | null;
            readonly expires_at: string;
            readonly keepalive: number | null;
            readonly match?: {
                readonly manufacturer?: (string | readonly string[]) | null;
                readonly model?: (string | readonly string[]) | null;
                readonly name?: string | readonly string[];
                readonly not?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly os?: (string | readonly string[]) | null;
                readonly sut_type?: string | readonly string[];
                readonly tags?: {
                    readonly [key: string]: (string | readonly string[]) | null;
                };
                readonly version?: (string | readonly string[]) | null;
            };
            readonly position?: number;
            readonly priority: number;
            readonly status: "waiting" | "granted" | "withdrawn" | "expired";
            readonly sut_id?: string;
            readonly sut_reservation_id: string | null;
            readonly updated_at: string;
            readonly user_id: string;
            readonly user_name: string;
            readonly waits_for?: readonly string[];
        };
        readonly SutRetiredData: {
            readonly _id: string;
            readonly listen_port: number;
        };
        readonly SutSettings: {
            readonly has_password?: boolean;
            readonly has_user_name?: boolean;
            readonly listen_port?: number | null;
            readonly monitoring_interval?: number | null;
            readonly rdp_height?: number | null;
            readonly rdp_width?: number | null;
            readonly release_unused_after: 0 | number;
            readonly turnaround: number;
        };
        readonly SutUpdatedData: {
            readonly _id: string;
            readonly address?: string;
            readonly credentials?: {
                readonly changed: readonly ("password" | "user_name")[];
                readonly id: string;
            };
            readonly description?: string;
            readonly is_active?: boolean;
            readonly manufacturer?: string;
            readonly model?: string;
            readonly name?: string;
            readonly os?: string;
            readonly port?: number;
            readonly rdp_height?: number;
            readonly rdp_width?: number;
            readonly release_unused_after?: 0 | number;
            readonly sut_type?: "vnc" | "rdp" | "tcp";
            readonly tags?: {
                readonly [key: string]: string | null;
            };
            readonly turnaround?: number;
            readonly version?: string;
        };
        readonly SutWentOfflineData: {
            readonly _id: string;
            readonly cause: "refused" | "timed_out" | "unreachable" | "unknown_host" | "wrong_greeting" | "password_refused" | "locked_out" | "no_security_type" | "in_use" | "refused_by_server";
        };
        readonly SutWentOnlineData: {
            readonly _id: string;
            readonly cause?: "no_password";
        };
        readonly Token: {
            readonly _id: string;
            readonly created_at: string;
            readonly expires_at: string | null;
            readonly name: string;
            readonly revoked_at?: string;
            readonly role: "administrator" | "tester" | "auditor";
            readonly scope?: "metrics" | "calendar";
        };
        readonly TokenIssuedData: {
            readonly _id: string;
            readonly credentials: {
                readonly changed: readonly string[];
                readonly id: string;
            };
            readonly expires_at?: string;
            readonly hash: string;
            readonly role: "administrator" | "tester" | "auditor";
            readonly token_scope?: "metrics" | "calendar";
            readonly user_id: string;
        };
        readonly TokenList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly tokens: readonly components["schemas"]["Token"][];
        };
        readonly TokenRevokedData: {
            readonly _id: string;
            readonly session_until?: string;
            readonly user_id: string;
        };
        readonly UsageReport: {
            readonly from: string;
            readonly rows: readonly {
                readonly bucket: string | null;
                readonly cancelled: number;
                readonly held_seconds: number;
                readonly key: string | null;
                readonly name: string | null;
                readonly released_early_seconds: number;
                readonly reservations: number;
                readonly suts: number;
                readonly unused_reservations: number | null;
                readonly used_seconds: number | null;
                readonly users: number;
            }[];
            readonly time_zone: string;
            readonly to: string;
        };
        readonly User: {
            readonly _id: string;
            readonly created_at: string;
            readonly erased_at?: string;
            readonly name: string;
            readonly quota: {
                readonly hours_per_week: number | null;
                readonly priority_max: number | null;
                readonly reservations_max: number | null;
            } | null;
            readonly removed_at?: string;
            readonly role: "administrator" | "tester" | "auditor";
            readonly scope: string;
            readonly updated_at: string;
            readonly used?: {
                readonly hours: number;
                readonly quota: {
                    readonly hours_per_week: number | null;
                    readonly priority_max: number | null;
                    readonly reservations_max: number | null;
                } | null;
                readonly reservations: number;
                readonly week: string;
            };
        };
        readonly UserAddedData: {
            readonly _id: string;
            readonly credentials: {
                readonly changed: readonly ("epoch" | "identity" | "name" | "password")[];
                readonly id: string;
            };
            readonly quota?: {
                readonly hours_per_week: number | null;
                readonly priority_max: number | null;
                readonly reservations_max: number | null;
            };
            readonly role: "administrator" | "tester" | "auditor";
            readonly scope?: string;
        };
        readonly UserChangedData: {
            readonly _id: string;
            readonly credentials?: {
                readonly changed: readonly ("epoch" | "identity" | "name" | "password")[];
                readonly id: string;
            };
            readonly quota?: {
                readonly hours_per_week: number | null;
                readonly priority_max: number | null;
                readonly reservations_max: number | null;
            } | null;
            readonly role?: "administrator" | "tester" | "auditor";
            readonly scope?: string;
        };
        readonly UserErasedData: {
            readonly _id: string;
        };
        readonly UserList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly users: readonly (components["schemas"]["User"] | components["schemas"]["UserName"])[];
        };
        readonly UserName: {
            readonly _id: string;
            readonly name: string;
        };
        readonly UserRemoval: {
            readonly _id: string;
            readonly cancelled: number;
            readonly released: number;
        };
        readonly UserRemovedData: {
            readonly _id: string;
            readonly reservations: "keep" | "cancel";
        };
        readonly UserRestoredData: {
            readonly _id: string;
        };
        readonly VaultKeyForgottenData: {
            readonly key: string;
            readonly secrets: number;
        };
        readonly Webhook: {
            readonly _id: string;
            readonly created_at: string;
            readonly description: string;
            readonly enabled: boolean;
            readonly lag: number;
            readonly last_failure: {
                readonly at: string;
                readonly cause: "status" | "timed_out" | "refused" | "reset" | "unreachable" | "unknown_host" | "tls" | "not_http" | "forbidden_address";
                readonly status: number | null;
            } | null;
            readonly match: {
                readonly manufacturer?: (string | readonly string[]) | null;
                readonly model?: (string | readonly string[]) | null;
                readonly name?: string | readonly string[];
                readonly not?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly os?: (string | readonly string[]) | null;
                readonly sut_type?: string | readonly string[];
                readonly tags?: {
                    readonly [key: string]: (string | readonly string[]) | null;
                };
                readonly version?: (string | readonly string[]) | null;
            } | null;
            readonly position: string | null;
            readonly sut_id: string | null;
            readonly types: readonly string[] | null;
            readonly updated_at: string;
            readonly user_id: string | null;
        };
        readonly WebhookAdvancedData: {
            readonly _id: string;
            readonly instance: string;
            readonly position: number;
        };
        readonly WebhookCreatedData: {
            readonly _id: string;
            readonly credentials: {
                readonly changed: readonly ("former_secret" | "secret" | "url")[];
                readonly id: string;
            };
            readonly description?: string;
            readonly filter: {
                readonly match?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly not?: {
                        readonly manufacturer?: (string | readonly string[]) | null;
                        readonly model?: (string | readonly string[]) | null;
                        readonly name?: string | readonly string[];
                        readonly os?: (string | readonly string[]) | null;
                        readonly sut_type?: string | readonly string[];
                        readonly tags?: {
                            readonly [key: string]: (string | readonly string[]) | null;
                        };
                        readonly version?: (string | readonly string[]) | null;
                    };
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly sut_id?: string;
                readonly types?: readonly string[];
                readonly user_id?: string;
            };
            readonly instance: string;
            readonly position: number;
        };
        readonly WebhookDisabledData: {
            readonly _id: string;
            readonly failure: {
                readonly cause: "status" | "timed_out" | "refused" | "reset" | "unreachable" | "unknown_host" | "tls" | "not_http" | "forbidden_address";
                readonly status?: number;
            };
            readonly position: number;
        };
        readonly WebhookEnabledData: {
            readonly _id: string;
        };
        readonly WebhookList: {
            readonly count: number;
            readonly limit: number;
            readonly offset?: number;
            readonly webhooks: readonly components["schemas"]["Webhook"][];
        };
        readonly WebhookRemoval: {
            readonly _id: string;
        };
        readonly WebhookRemovedData: {
            readonly _id: string;
            readonly cause?: "gone";
        };
        readonly WebhookReplayedData: {
            readonly _id: string;
            readonly instance: string;
            readonly position: number;
        };
        readonly WebhookSecretReplacedData: {
            readonly _id: string;
            readonly credentials: {
                readonly changed: readonly ("former_secret" | "secret" | "url")[];
                readonly id: string;
            };
        };
        readonly WebhookUpdatedData: {
            readonly _id: string;
            readonly credentials?: {
                readonly changed: readonly ("former_secret" | "secret" | "url")[];
                readonly id: string;
            };
            readonly description?: string;
            readonly filter?: {
                readonly match?: {
                    readonly manufacturer?: (string | readonly string[]) | null;
                    readonly model?: (string | readonly string[]) | null;
                    readonly name?: string | readonly string[];
                    readonly not?: {
                        readonly manufacturer?: (string | readonly string[]) | null;
                        readonly model?: (string | readonly string[]) | null;
                        readonly name?: string | readonly string[];
                        readonly os?: (string | readonly string[]) | null;
                        readonly sut_type?: string | readonly string[];
                        readonly tags?: {
                            readonly [key: string]: (string | readonly string[]) | null;
                        };
                        readonly version?: (string | readonly string[]) | null;
                    };
                    readonly os?: (string | readonly string[]) | null;
                    readonly sut_type?: string | readonly string[];
                    readonly tags?: {
                        readonly [key: string]: (string | readonly string[]) | null;
                    };
                    readonly version?: (string | readonly string[]) | null;
                };
                readonly sut_id?: string;
                readonly types?: readonly string[];
                readonly user_id?: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
