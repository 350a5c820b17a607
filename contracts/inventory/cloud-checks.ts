import type { FieldPath, Finding } from './findings.ts';
import { items, tree, type Tree } from './raw.ts';

const finding = (path: FieldPath, message: string, correction: string): Finding => ({
  path,
  message,
  correction,
});

/** What gates that ask a cloud could not do without, and would only tell when they are run. */
export function cloudFindings(raw: Tree): Finding[] {
  const cloud = tree(raw['openstack']);
  const hasCloud = cloud['authUrl'] !== undefined;
  const found =
    hasCloud && cloud['credentials'] === undefined
      ? [
          finding(
            ['openstack', 'authUrl'],
            'names a cloud, and the inventory does not say as whom it is asked',
            'Add `openstack.credentials`: `username`, `password`, `project`.',
          ),
        ]
      : [];
  const inPods = items(cloud['commands']).flatMap((command, index) =>
    raw['kubernetes'] === undefined && tree(tree(command)['from'])['namespace'] !== undefined
      ? [
          finding(
            ['openstack', 'commands', index, 'from'],
            'names a pod, and the inventory has no `kubernetes`',
            'Add `kubernetes` with its `kubeconfig`, or name a vantage point.',
          ),
        ]
      : [],
  );
  const inGlance = items(tree(cloud['bareMetal'])['deployImages']).flatMap((image, index) =>
    !hasCloud && tree(image)['glance'] !== undefined
      ? [
          finding(
            ['openstack', 'bareMetal', 'deployImages', index, 'glance'],
            'lies in Glance, and the inventory names no cloud',
            'Add `openstack.authUrl` and `openstack.credentials`, or give the image by its `url`.',
          ),
        ]
      : [],
  );
  return [...found, ...inPods, ...inGlance];
}
