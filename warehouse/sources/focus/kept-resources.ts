// Which ids of resources on a bill are kept (docs/design.md#assets-on-bills). An id is kept if it can be a machine, a disk, a
// load balancer, a database or a cluster, whatever the line's category. Clouds write the category of one machine in several
// ways, and the clusters and hosts may come after the bill.

/** Kinds of AWS resources of which an account has many, and none is a machine. */
const AWS_KINDS = [
  's3(?:express)?:',
  '(?:lambda|logs|sqs|sns|kms|secretsmanager|states|events|scheduler|pipes|glue|athena|firehose|cloudwatch|ecr|cloudfront):',
  '(?:apigateway|execute-api|route53|cloudtrail|config|ssm|batch|backup|backup-gateway|ses|cognito-idp|dynamodb|kinesis):',
  '(?:codebuild|codepipeline|codecommit|cloudformation|guardduty|securityhub|inspector2?|macie2|wafv2|bedrock|acm):',
  'ec2:[^:]*:[^:]*:(?:snapshot|image|network-interface|key-pair)/',
  'rds:[^:]*:[^:]*:(?:cluster-)?snapshot:',
  // Pods and tasks share machines that have lines of their own, or have no machine at all.
  'eks:[^:]*:[^:]*:pod/',
  'ecs:[^:]*:[^:]*:task/',
];

const AZURE_KINDS = [
  'microsoft\\.(?:storage|insights|operationalinsights|keyvault|web|logic|eventhub|eventgrid|servicebus|security)/',
  'microsoft\\.(?:cognitiveservices|machinelearningservices|datafactory|automation|recoveryservices|containerregistry)/',
  'microsoft\\.compute/(?:snapshots|images|galleries)/',
];

const GOOGLE_KINDS = [
  '(?:storage|cloudfunctions|run|pubsub|bigquery|logging|monitoring|artifactregistry|secretmanager|dataflow)\\.googleapis\\.com/',
];

/** Ids of resources that cannot be machines. Each alternative begins at the start of the id, so that most ids take one look. */
const OTHER_KINDS = [
  `arn:[^:]*:(?:${AWS_KINDS.join('|')})`,
  '(?:snap|eni|ami|eipalloc|sg|subnet|vpc|vpce)-[0-9a-f]+$',
  `/subscriptions/[^/]+/resourcegroups/[^/]+/providers/(?:${AZURE_KINDS.join('|')})`,
  `//(?:${GOOGLE_KINDS.join('|')})`,
];

/** Matches the ids that are not kept, in the regular expressions of DuckDB and of BigQuery. */
export const NOT_KEPT = `(?i)^(?:${OTHER_KINDS.join('|')})`;

/** Whether the id of a resource is kept: it is not one of the kinds that are no machines and that a bill has many of. */
export const isKept = (id: string): string => `NOT regexp_matches(${id}, '${NOT_KEPT}')`;
