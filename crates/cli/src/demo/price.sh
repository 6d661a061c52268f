# Prices of an order.

# total COUNT PRICE: what COUNT items cost.
total() { echo $(( $1 + $2 )); }

# discount TOTAL PERCENT: the total less so many percent.
discount() { echo $(( $1 * (100 - $2) / 100 )); }
