import {
  AppsV1Api,
  BatchV1Api,
  CoordinationV1Api,
  CoreV1Api,
  createConfiguration,
  HttpMethod,
  ServerConfiguration,
  StorageV1Api,
  type Configuration,
  type KubeConfig,
  type V1DaemonSet,
  type V1Deployment,
  type V1Job,
  type V1Lease,
  type V1Node,
  type V1PersistentVolumeClaim,
  type V1Pod,
  type V1StatefulSet,
  type V1StorageClass,
} from '@kubernetes/client-node';
import { RackwrightError } from '../../core/errors/failure.ts';
import type { LeaseObject } from '../../core/kubernetes/shapes.ts';
import { answerInvalid, failureOf, refusal } from './errors.ts';
import { firstWords } from '../../core/whole-words.ts';

/** Bound of one request, connecting included. */
const REQUEST_MS = 15_000;
const PAGE = 250;
const MAX_PAGES = 200;

export interface Options {
  readonly signal: AbortSignal;
  /** Objects a page. @default 250 */
  readonly page?: number;
  /** Bound of one request in milliseconds. @default 15000 */
  readonly timeoutMs?: number;
}

interface Listed<T> {
  readonly items?: T[];
  readonly metadata?: { readonly _continue?: string };
}
interface Paging {
  limit: number;
  _continue?: string;
}

/** What of the Kubernetes API is asked: reads alone, bounded in time, lists page by page. */
export class Kubernetes {
  readonly config: KubeConfig;
  readonly server: string;
  readonly #configuration: Configuration;
  readonly #core: CoreV1Api;
  readonly #apps: AppsV1Api;
  readonly #batch: BatchV1Api;
  readonly #storage: StorageV1Api;
  readonly #coordination: CoordinationV1Api;
  readonly #options: Options;
  #now: Date | undefined;

  constructor(config: KubeConfig, options: Options) {
    this.config = config;
    this.server = config.getCurrentCluster()!.server;
    this.#options = options;
    this.#configuration = createConfiguration({
      baseServer: new ServerConfiguration(this.server, {}),
      authMethods: { default: config },
      promiseMiddleware: [
        {
          pre: async (context) => {
            context.setSignal(this.#bound());
            return context;
          },
          post: async (context) => {
            this.#heard(context.headers['date']);
            return context;
          },
        },
      ],
    });
    this.#core = new CoreV1Api(this.#configuration);
    this.#apps = new AppsV1Api(this.#configuration);
    this.#batch = new BatchV1Api(this.#configuration);
    this.#storage = new StorageV1Api(this.#configuration);
    this.#coordination = new CoordinationV1Api(this.#configuration);
  }

  /** The time by the clock of the API server, which is the one that objects carry times of. */
  get now(): Date {
    return this.#now ?? new Date();
  }

  nodes(): Promise<V1Node[]> {
    return this.#list('nodes', (page) => this.#core.listNode(page));
  }

  /** The signs of life of all kubelets. */
  async leases(): Promise<LeaseObject[]> {
    const namespace = 'kube-node-lease';
    const leases = await this.#list<V1Lease>(`leases of ${namespace}`, (page) =>
      this.#coordination.listNamespacedLease({ namespace, ...page }),
    );
    return leases.map(({ metadata, spec }) => {
      // The client leaves a time with microseconds as the text that it came as.
      const renewTime = new Date(String(spec?.renewTime ?? ''));
      return {
        ...(metadata ? { metadata } : {}),
        ...(Number.isNaN(renewTime.getTime()) ? {} : { spec: { renewTime } }),
      };
    });
  }

  /** Whether there is a namespace: lists of one that does not exist are merely empty. */
  async hasNamespace(name: string): Promise<boolean> {
    try {
      await this.#asked(`namespace ${name}`, () => this.#core.readNamespace({ name }));
      return true;
    } catch (error) {
      if (error instanceof RackwrightError && error.failure.details?.['status'] === 404) return false;
      throw error;
    }
  }

  pods(namespace: string, labelSelector?: string): Promise<V1Pod[]> {
    const labels = labelSelector === undefined ? {} : { labelSelector };
    return this.#list(`pods of ${namespace}`, (page) =>
      this.#core.listNamespacedPod({ namespace, ...labels, ...page }),
    );
  }

  jobs(namespace: string): Promise<V1Job[]> {
    return this.#list(`jobs of ${namespace}`, (page) =>
      this.#batch.listNamespacedJob({ namespace, ...page }),
    );
  }

  deployments(namespace: string): Promise<V1Deployment[]> {
    return this.#list(`deployments of ${namespace}`, (page) =>
      this.#apps.listNamespacedDeployment({ namespace, ...page }),
    );
  }

  statefulSets(namespace: string): Promise<V1StatefulSet[]> {
    return this.#list(`statefulsets of ${namespace}`, (page) =>
      this.#apps.listNamespacedStatefulSet({ namespace, ...page }),
    );
  }

  daemonSets(namespace: string): Promise<V1DaemonSet[]> {
    return this.#list(`daemonsets of ${namespace}`, (page) =>
      this.#apps.listNamespacedDaemonSet({ namespace, ...page }),
    );
  }

  storageClasses(): Promise<V1StorageClass[]> {
    return this.#list('storageclasses', (page) => this.#storage.listStorageClass(page));
  }

  claims(namespace: string): Promise<V1PersistentVolumeClaim[]> {
    return this.#list(`persistentvolumeclaims of ${namespace}`, (page) =>
      this.#core.listNamespacedPersistentVolumeClaim({ namespace, ...page }),
    );
  }

  /** What `/readyz?verbose` answers, where it answers about itself: with 200 or 500. */
  async readyz(): Promise<{ status: number; body: string }> {
    const asked = 'GET /readyz?verbose';
    return this.#asked(asked, async () => {
      const context = this.#configuration.baseServer.makeRequestContext('/readyz?verbose', HttpMethod.GET);
      await this.config.applySecurityAuthentication(context);
      context.setSignal(this.#bound());
      const response = await this.#configuration.httpApi.send(context).toPromise();
      const body = await response.body.text();
      if (response.httpStatusCode !== 200 && response.httpStatusCode !== 500)
        throw refusal(asked, response.httpStatusCode, messageOf(body));
      return { status: response.httpStatusCode, body };
    });
  }

  /** All pages of a list. A list that expired between two pages is begun again, once. */
  async #list<T>(what: string, page: (paging: Paging) => Promise<Listed<T>>): Promise<T[]> {
    const asked = `list of ${what}`;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#asked(asked, () => this.#pages(asked, page));
      } catch (error) {
        const expired = error instanceof RackwrightError && error.failure.details?.['status'] === 410;
        if (!expired || attempt > 1) throw error;
      }
    }
  }

  async #pages<T>(asked: string, page: (paging: Paging) => Promise<Listed<T>>): Promise<T[]> {
    const found: T[] = [];
    const limit = this.#options.page ?? PAGE;
    let next: string | undefined;
    for (let count = 0; count < MAX_PAGES; count++) {
      const list: Listed<T> | undefined = await page(
        next === undefined ? { limit } : { limit, _continue: next },
      );
      // No list: something else answers here, or the body is another object's.
      if (!Array.isArray(list?.items)) throw answerInvalid(asked, 'it is no list');
      found.push(...list.items);
      next = list.metadata?._continue;
      if (next === undefined || next === '') return found;
    }
    throw answerInvalid(asked, `it has more than ${MAX_PAGES} pages`);
  }

  async #asked<T>(asked: string, ask: () => Promise<T>): Promise<T> {
    this.#options.signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      this.#options.signal.throwIfAborted();
      throw failureOf(asked, this.server, error);
    }
  }

  #bound(): AbortSignal {
    const time = AbortSignal.timeout(this.#options.timeoutMs ?? REQUEST_MS);
    return AbortSignal.any([this.#options.signal, time]);
  }

  #heard(date: string | undefined): void {
    const at = new Date(date ?? '');
    if (!Number.isNaN(at.getTime())) this.#now = at;
  }
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return firstWords(body, 200);
  }
}
