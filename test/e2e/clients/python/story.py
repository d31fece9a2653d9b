import json
import os

from client.api.metrics import create_metric, get_metric, list_metrics
from client.api.months import get_metric_months
from client.api.values import store_values
from client.client import AuthenticatedClient
from client.models import (
    CreateMetricBody,
    CreateMetricBodyAggregation,
    CreateMetricBodyFrequency,
    Error,
    NewOrganisationScope,
    StoreValuesBody,
    StoreValuesBodyValuesItem,
)


def given(answer):
    assert answer is not None and not isinstance(answer, Error), answer
    return answer


client = AuthenticatedClient(
    base_url=os.environ["COST_ANALYTICS_URL"],
    token=os.environ["COST_ANALYTICS_KEY"],
    prefix="",
    auth_header_name="X-API-Key",
)

ids = {}
for name in ["Orders", "Visits"]:
    body = CreateMetricBody(
        name=name,
        unit="unit",
        aggregation=CreateMetricBodyAggregation.TOTAL,
        frequency=CreateMetricBodyFrequency.MONTHLY,
        scope=NewOrganisationScope(type_="organisation"),
    )
    ids[name] = given(create_metric.sync(client=client, body=body)).data.id

values = StoreValuesBody(values=[StoreValuesBodyValuesItem(period="2026-01", value=90.25)])
stored = given(store_values.sync(ids["Orders"], client=client, body=values))
months = given(get_metric_months.sync(ids["Orders"], client=client)).data

names = []
cursor = None
while True:
    query = {} if cursor is None else {"cursor": cursor}
    page = given(list_metrics.sync(client=client, limit=1, **query))
    names += [metric.name for metric in page.data]
    cursor = page.next_cursor
    if cursor is None:
        break

refused = get_metric.sync("met_0", client=client)
assert isinstance(refused, Error)
january = next(month.value for month in months if month.month == "2026-01")
print(json.dumps({"created": stored.data.created, "january": january, "names": names, "error": refused.error}))
