package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	withKey := WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("COST_ANALYTICS_KEY"))
		return nil
	})
	client, err := NewClientWithResponses(os.Getenv("COST_ANALYTICS_URL"), withKey)
	check(err)

	var scope CreateMetricJSONBody_Scope
	check(scope.FromNewOrganisationScope(NewOrganisationScope{Type: NewOrganisationScopeTypeOrganisation}))
	ids := map[string]string{}
	for _, name := range []string{"Orders", "Visits"} {
		created, err := client.CreateMetricWithResponse(ctx, CreateMetricJSONRequestBody{
			Name:        name,
			Unit:        "unit",
			Aggregation: CreateMetricJSONBodyAggregationTotal,
			Frequency:   CreateMetricJSONBodyFrequencyMonthly,
			Scope:       scope,
		})
		check(err)
		metric, err := created.JSON200.Data.AsCreatedMetric()
		check(err)
		ids[name] = metric.Id
	}

	var values StoreValuesJSONRequestBody
	check(json.Unmarshal([]byte(`{"values":[{"period":"2026-01","value":90.25}]}`), &values))
	stored, err := client.StoreValuesWithResponse(ctx, ids["Orders"], values)
	check(err)

	months, err := client.GetMetricMonthsWithResponse(ctx, ids["Orders"], nil)
	check(err)
	var january any
	for _, item := range months.JSON200.Data {
		month, err := item.AsLabelledMonth()
		check(err)
		if month.Month == "2026-01" {
			january = month.Value
		}
	}

	names := []string{}
	limit := 1
	var cursor *string
	for {
		page, err := client.ListMetricsWithResponse(ctx, &ListMetricsParams{Limit: &limit, Cursor: cursor})
		check(err)
		for _, item := range page.JSON200.Data {
			metric, err := item.AsMetric()
			check(err)
			names = append(names, metric.Name)
		}
		if cursor = page.JSON200.NextCursor; cursor == nil {
			break
		}
	}

	refused, err := client.GetMetricWithResponse(ctx, "met_0")
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created": stored.JSON200.Data.Created,
		"january": january,
		"names":   names,
		"error":   refused.JSON404.Error,
	}))
}
